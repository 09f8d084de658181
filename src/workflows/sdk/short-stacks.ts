/**
 * Shortens all stack traces of a worker before the sandbox is frozen. The SDK captures a stack for each promise of a
 * workflow and maps every frame to its source. With V8's default of ten frames, this took over half the time of an
 * activation with thousands of messages. Three frames still show where an error was thrown and the callers. Remove this
 * file when the SDK captures stacks only on request.
 */

Error.stackTraceLimit = 3;
