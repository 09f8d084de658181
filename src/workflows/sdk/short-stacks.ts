/**
 * Loaded once for all runs of a worker, before the sandbox is frozen. The SDK takes a stack for each promise of a workflow, so that
 * a query could show it, and maps every frame to its source: with the ten frames of V8's default that was more than half of what an
 * activation with thousands of messages took. Three frames tell where an error was thrown, and by whom it was called.
 *
 * It goes when the SDK takes these stacks only for those who ask.
 */

Error.stackTraceLimit = 3;
