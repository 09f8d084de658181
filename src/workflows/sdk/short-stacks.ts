/**
 * Shortens stack traces, once for all runs of a worker, before the sandbox is frozen. The SDK captures a stack for each
 * promise of a workflow, for a query, and maps every frame to its source. With V8's default of ten frames that was over
 * half of the time of an activation with thousands of messages. Three frames still show where an error was thrown and
 * who called.
 *
 * Remove it when the SDK captures these stacks only on request.
 */

Error.stackTraceLimit = 3;
