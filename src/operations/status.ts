/** The state of a run, as its worker tells it, or as the server does after the last worker has gone. */

import { ClientError, countWaiting } from '../edge/client/index.ts';
import type { RunSession } from '../edge/project/index.ts';
import type { NodeView, RunResult, RunStatus } from '../wire/contract/index.ts';
import type { Ended } from './ending.ts';
import { outcomeOf } from './ending.ts';
import { listOf, operation } from './operation.ts';
import { seeNodes } from './seen-run.ts';

/** How a run stands, as far as it is known: nobody may be left to tell all about one that the server ended. */
export type Standing = Omit<RunStatus, 'next' | 'outcome' | Untold> &
  Partial<Pick<RunStatus, Untold>> & { readonly outcome?: Ended };

type Untold = 'revision' | 'digest' | 'counts' | 'startedAt';

export const status = operation({
  name: 'status',
  does: 'Says where a run stands, what it waits for, and how its nodes stand.',
  input: (z) =>
    z.object({
      workflowId: z.string(),
      nodes: z
        .enum(['all', 'standing', 'none'])
        .default('none')
        .describe('standing: those that go on, wait or went wrong'),
    }),
  output: (z) =>
    z.looseObject({ workflowId: z.string(), phase: z.string(), waitingFor: z.number(), open: z.array(z.unknown()) }),
  async run(plans, { workflowId, nodes: wanted }) {
    const session = await plans.run(workflowId);
    const { run } = session;
    const standing = await standingOf(session);
    const isAsked = standing.counts !== undefined && wanted !== 'none';
    const all = isAsked ? await listOf(run.nodes()) : [];
    const nodes = wanted === 'all' ? all : all.filter(isTold);
    const open = countWaiting(standing) > 0 ? await listOf(run.questions()) : [];
    const histories = wanted === 'all' ? undefined : 1;
    const [times, { nodes: seen, ...told }] = await Promise.all([
      run.times(),
      seeNodes(run, nodes, standing.revision, { histories }),
    ]);
    return {
      workflowId,
      ...standing,
      startedAt: standing.startedAt ?? times.startedAt,
      ...(times.endedAt !== undefined && { endedAt: times.endedAt }),
      open,
      ...(wanted !== 'none' && { nodes: seen }),
      ...told,
    };
  },
});

/** Tells the nodes that are looked at first: those that go on, wait or went wrong. */
function isTold({ status: now, failure }: NodeView): boolean {
  return now === 'running' || now === 'waiting' || failure !== undefined;
}

/**
 * A run that the server has cut off does not know it, and would still ask for what nobody can give. How any run has ended the
 * server tells without a worker.
 */
async function standingOf({ run, listed }: RunSession): Promise<Standing> {
  const isOver = listed !== undefined && listed.status !== 'running';
  const isCutOff = listed?.status === 'terminated' || listed?.status === 'timed-out';
  const last = isOver ? await lastStatus(run) : await run.status();
  if (last !== undefined && !isCutOff) {
    const { next: _, ...standing } = last;
    return standing;
  }
  const end = await run.end();
  const said = end.how === 'completed' ? spoken(end.result) : { reason: end.message };
  const closed = { phase: 'closed', outcome: outcomeOf(end), ...said, waitingFor: 0 } as const;
  if (last === undefined) return closed;
  const { revision, digest, counts, usage, startedAt } = last;
  return { ...closed, revision, digest, counts, startedAt, ...(usage !== undefined && { usage }) };
}

/** The words of the end itself about the run. */
function spoken({ digest, revision, by, comment }: RunResult): Partial<Standing> {
  return { digest, revision, ...(by !== undefined && { by }), ...(comment !== undefined && { comment }) };
}

async function lastStatus(run: RunSession['run']): Promise<RunStatus | undefined> {
  try {
    return await run.status();
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-worker') return undefined;
    throw error;
  }
}
