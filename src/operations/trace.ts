/** The history of a run: its entries with the work of its nodes, and the rounds of one that decides step by step. */

import type { RunHandle } from '../client/index.ts';
import { quoteForShell } from '../plan/text/index.ts';
import { OperationError } from './operation-error.ts';
import { listOf, operation } from './operation.ts';
import { seeNodes } from './seen-run.ts';

export const trace = operation({
  name: 'trace',
  does: 'Tells what happened to a run and who said what, and which worker carried out each node.',
  input: (z) =>
    z.object({
      workflowId: z.string(),
      after: z.int().nonnegative().default(0).describe('only what came after the entry of this number'),
      nodes: z.boolean().default(true).describe('false: only what the run itself has noted, which is its audit'),
    }),
  output: (z) =>
    z.looseObject({
      workflowId: z.string(),
      entries: z.array(z.looseObject({ seq: z.number() })),
      dropped: z.number(),
    }),
  async run(plans, { workflowId, after, nodes: wanted }) {
    const { run } = await plans.run(workflowId);
    const entries = await listOf(run.trace(after));
    const { dropped } = await run.tracePage({ after: entries.at(-1)?.seq ?? after, limit: 1 });
    return { workflowId, entries, dropped, ...(wanted ? await carriedOut(run) : { nodes: [] }) };
  },
});

/** The run notes only what went wrong with a node; who had it, and when, the server knows. */
async function carriedOut(run: RunHandle) {
  const begun = (await listOf(run.nodes())).filter(({ scheduledAt }) => scheduledAt !== undefined);
  if (begun.length === 0) return { nodes: [] };
  const { nodes, missing } = await seeNodes(run, begun, (await run.status()).revision, { gives: false });
  return { nodes: nodes.filter(({ worker }) => worker !== undefined), ...(missing !== undefined && { missing }) };
}

export const rounds = operation({
  name: 'rounds',
  does: 'Tells how a run or an agent that decides step by step decided each of its rounds. Reads the result store.',
  input: (z) => z.object({ workflowId: z.string(), last: z.int().positive().optional() }),
  output: (z) =>
    z.looseObject({ workflowId: z.string(), round: z.number(), maxRounds: z.number(), rounds: z.array(z.unknown()) }),
  async run(plans, { workflowId, last }) {
    const { run } = await plans.run(workflowId);
    const { loop } = await run.status();
    if (loop === undefined) {
      const command = plans.typed(`trace ${quoteForShell(workflowId)}`);
      throw new OperationError('USAGE', `run ${workflowId} follows a plan and has no rounds; see: ${command}`);
    }
    const { notes, round, maxRounds } = loop;
    const found = notes === undefined ? [] : await run.rounds({ notes, ...(last !== undefined && { last }) });
    return { workflowId, round, maxRounds, rounds: found };
  },
});
