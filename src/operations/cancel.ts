/** The cancellation of a run, as Temporal has it: by whoever reaches the server, without a signature. */

import { operation } from './operation.ts';

export const cancel = operation({
  name: 'cancel',
  does: 'Asks a run to stop: nothing begins any more, and work that has begun is told. Nothing is undone.',
  readOnly: false,
  destructive: true,
  input: (z) => z.object({ workflowId: z.string() }),
  output: (z) => z.looseObject({ workflowId: z.string() }),
  async run(plans, { workflowId }) {
    const { run } = await plans.run(workflowId);
    await run.cancel();
    return { workflowId };
  },
});
