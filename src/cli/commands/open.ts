/** `planwright open`: the page of a run in the Temporal Web UI. */

import { defineCommand } from '../define-command.ts';

export const openCommand = defineCommand({
  name: 'open',
  summary: 'print where the Web UI shows a run',
  description: 'print the address of a run in the Temporal Web UI of a server on this machine',
  examples: ['planwright open plan-1'],
  arguments: { workflowId: 'the run' },
  operation: 'page',
  input: ({ workflowId }) => ({ workflowId }),
  show: ({ url }) => url,
});
