/**
 * Loaded once for all runs of a worker, before the sandbox is frozen. SDK 1.24 takes a stack for each promise of a workflow, so that
 * a query could show it, and maps every frame to its source: with the ten frames of V8's default that was more than half of what an
 * activation with thousands of messages took. The first frame tells where an error was thrown.
 */

Error.stackTraceLimit = 1;
