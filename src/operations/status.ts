import type { RunSession } from '../config/project/index.ts';
import type { NodeView } from '../protocol/index.ts';
import { OperationError } from './operation-error.ts';
import { flagField, IN_PROJECT, operation } from './operation.ts';
import { mermaidOf } from './pictures.ts';
import { openItemsOf, seeNodes, factsOfRun, timesOf } from './run-facts.ts';
import { readOpenPlan } from './open-plan.ts';
import { runPageOf } from './web-ui.ts';

/**
 * Prints the state, the cost of models, the nodes that run, wait or failed, what waits for a person with its command,
 * and the next command. `--nodes` lists every node with its times, its attempts and its worker; a node without a worker
 * is `queued`. Times are UTC. A paused run exits 4; a run that the server terminated or timed out exits 1. If no worker
 * answers for an open run, the error is `NO_WORKER`, and its `unattended` says since when.
 *
 * - `--mermaid`: only the diagram of its plan, with the states of its nodes.
 * - `--web`: only the address of its page in the Web UI of a server on this machine, `{"ok":true,"workflowId","url"}`.
 *
 * JSON:
 * `{"ok":true,"workflowId","phase","outcome"?,"revision","digest","planning"?,"loop"?,"children"?,"fallback"?,"usage"?,"paused"?,"waitingFor","counts","startedAt","endedAt"?,"open":[item
 * of inbox],"nodes"?,"mermaid"?,"states"?}`.
 */
export const status = operation({
  command: {
    words: 'status <workflow-id>',
    hides: ['attempts', 'missing', 'limits'],
    place: IN_PROJECT,
    from: { nodes: 'flag' },
    flags: (z) => ({ web: flagField(z, 'the address alone of its page in the Temporal Web UI') }),
    more: 'It exits 0 while the run goes on, 4 if it waits for a person, else by its outcome.',
  },
  host: { fields: ['workflowId', 'nodes'] },
  does: 'Show the state of a run, what it waits for, and its nodes.',
  input: (z) =>
    z.object({
      workflowId: z.string().describe('the run'),
      nodes: z
        .enum(['all', 'standing', 'none'])
        .default('none')
        .describe('every node (all), or those that go on, wait or went wrong (standing)'),
      mermaid: flagField(z, 'the diagram of its plan alone, as Mermaid'),
    }),
  async run(plans, { workflowId, nodes: wanted, mermaid }) {
    const session = await plans.run(workflowId);
    const { run } = session;
    const facts = await factsOfRun(session);
    const isAsked = facts.counts !== undefined && wanted !== 'none';
    const all = isAsked ? (await run.view(['nodes'])).nodes : [];
    const isListed = ({ status: now, failure }: NodeView) =>
      wanted === 'all' || now === 'running' || now === 'waiting' || failure !== undefined;
    const nodes = all.filter(isListed);
    const histories = wanted === 'all' ? undefined : 1;
    const [open, times, { nodes: seen, begun: _, ...parts }] = await Promise.all([
      openItemsOf(run, facts),
      timesOf(run, facts),
      seeNodes(run, nodes, facts.revision, { histories }),
    ]);
    const picture = mermaid === true ? await drawn(session, workflowId) : undefined;
    const more = { ...(wanted !== 'none' && { nodes: seen }), ...parts, ...picture };
    return { workflowId, ...facts, ...times, open, ...more };
  },
});

async function drawn({ run, store }: RunSession, workflowId: string) {
  const { plan, nodes } = await run.view(['plan', 'nodes']);
  if (plan.ref === '') throw new OperationError('REFUSED', `run ${workflowId} has no plan yet; try again in a moment`);
  return mermaidOf(await readOpenPlan(store, plan), nodes);
}

export const page = operation({
  does: 'Gives the address of a run in the Temporal Web UI of a server on this machine.',
  input: (z) => z.object({ workflowId: z.string() }),
  async run(plans, { workflowId }) {
    const session = await plans.run(workflowId);
    await session.run.view(['times']);
    const url = await runPageOf(session, workflowId);
    if (url !== undefined) return { workflowId, url };
    const message =
      `no Web UI of the server at ${session.address} shows run ${workflowId} on this machine; ` +
      'open the page of your Temporal service, namespace and workflow id by hand';
    throw new OperationError('REFUSED', message);
  },
});
