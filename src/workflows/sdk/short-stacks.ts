/**
 * Shortens all stack traces of a worker before the sandbox is frozen. The SDK captures a stack for each promise of a
 * workflow and maps every frame to its source, which with ten frames took over half the time of an activation with
 * thousands of messages. Three frames still show the place of an error and its callers. Remove this file when the SDK
 * captures stacks only on request.
 */

Error.stackTraceLimit = 3;
