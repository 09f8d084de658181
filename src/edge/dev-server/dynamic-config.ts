/** Server settings that every Temporal dev server for plans needs; nothing depends on the middle two. */

export const DYNAMIC_CONFIG: { readonly [key: string]: number | string } = {
  // With the server's own default of 20 polls a second, each sequential hop of a run waits about 50 ms.
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  // A run that goes on in a new history within a second of its start is held back to a second by default.
  'history.workflowIdReuseMinimalInterval': '0s',
  // The server buffers one query while a workflow task is open; the next gets an error.
  'history.MaxBufferedQueryCount': 1000,
  // An update goes back to the server with the workflow task, taken or refused, and the server takes 4 MiB in one call: ten at
  // once, of a megabyte each, would fail the task as long as they wait. In bytes; its own default is 20 MiB.
  'history.maxInFlightUpdatePayloads': 2 * 1024 * 1024,
  // Events that arrive while a workflow task is at work are buffered; above this the server fails that task, and a
  // flood fails one after the other. In bytes; its own default is 2 MiB, and all of it must fit a transaction of 4 MiB.
  'history.maximumBufferedEventsSizeInBytes': 3 * 1024 * 1024,
};
