/** The waits for a person in the runs of a namespace, the oldest first. */

import { operation } from './operation.ts';

export const inbox = operation({
  name: 'inbox',
  does: 'Lists what the running runs of the namespace wait for a person to say: approvals, questions, nodes to settle.',
  input: (z) =>
    z.object({
      role: z.string().optional().describe('only what waits for this role or for anybody'),
      limit: z.int().positive().default(100),
    }),
  output: (z) =>
    z.looseObject({
      items: z.array(z.looseObject({ workflowId: z.string(), id: z.string(), kind: z.string(), text: z.string() })),
      more: z.number(),
    }),
  async run(plans, { role, limit }) {
    const session = await plans.session();
    return { ...(await session.plans.inbox({ limit, ...(role !== undefined && { role }) })) };
  },
});
