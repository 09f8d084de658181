/** The state of a run, as its worker tells it, or as the server does after the last worker has gone. */

import type { NodeView } from '../protocol/index.ts';
import { operation } from './operation.ts';
import { openOf, seeNodes, standingOf, timesOf } from './seen-run.ts';

/**
 * Phase, outcome, times, how far planning or the decided steps are, agents at work, what models have cost, counts, the
 * nodes that run, wait and failed, what waits for a person with the command that says it, and the next command.
 * `--nodes` lists every node, with when it began and ended, how long it took, its attempts and its worker; one that no
 * worker has taken yet is `queued`. Times are UTC, to the second; JSON has them in full. A paused run exits 4. A run
 * that was terminated or timed out on the server exits 1. Where no worker answers for an open run the error is
 * `NO_WORKER`; its `unattended` says since when no worker asks for work on the queue.
 *
 * JSON:
 * `{"ok":true,"workflowId","phase","outcome"?,"revision","digest","planning"?,"loop"?,"children"?,"fallback"?,"usage"?,"paused"?,"waitingFor","counts","startedAt","endedAt"?,"open":[item
 * of inbox],"nodes"?}`.
 */
export const status = operation({
  command: {
    words: 'status <workflow-id>',
    hides: ['attempts', 'missing'],
    example: 'status plan-1',
    from: { nodes: 'flag' },
    more: 'exits 0 while it goes on, 4 when it waits for a person, else by its outcome',
  },
  host: { fields: ['workflowId', 'nodes'] },
  does: 'Says where a run stands, what it waits for, and how its nodes stand.',
  input: (z) =>
    z.object({
      workflowId: z.string().describe('the run'),
      nodes: z
        .enum(['all', 'standing', 'none'])
        .default('none')
        .describe('every node (all), or those that go on, wait or went wrong (standing)'),
    }),
  async run(plans, { workflowId, nodes: wanted }) {
    const session = await plans.run(workflowId);
    const { run } = session;
    const standing = await standingOf(session);
    const isAsked = standing.counts !== undefined && wanted !== 'none';
    const all = isAsked ? (await run.view(['nodes'])).nodes : [];
    const nodes = wanted === 'all' ? all : all.filter(isTold);
    const histories = wanted === 'all' ? undefined : 1;
    const [open, times, { nodes: seen, begun: _, ...told }] = await Promise.all([
      openOf(run, standing),
      timesOf(run, standing),
      seeNodes(run, nodes, standing.revision, { histories }),
    ]);
    return { workflowId, ...standing, ...times, open, ...(wanted !== 'none' && { nodes: seen }), ...told };
  },
});

/** Tells the nodes that are looked at first: those that go on, wait or went wrong. */
function isTold({ status: now, failure }: NodeView): boolean {
  return now === 'running' || now === 'waiting' || failure !== undefined;
}
