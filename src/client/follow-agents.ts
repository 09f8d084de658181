/** The work of a run's agents, and each decided step: told beside how the run itself stands. */

import {
  agentRunId,
  isOfAgent,
  type NodeView,
  type RunStatus,
  type RunView,
  type ToldStep,
} from '../protocol/index.ts';
import { ClientError } from './client-error.ts';
import type { RunHandle } from './run-handle.ts';

type Heard = Pick<RunView, 'agents' | 'steps'>;
type Viewed = Pick<RunHandle, 'view'>;

export const NOTHING_HEARD: Heard = { agents: [], steps: [] };

/**
 * Agents that have ended before anybody followed the run are looked for at so many nodes, each a question to the
 * server.
 */
const LOOKED_FOR = 100;

/** @param child the run of an agent */
export function followAgents(run: Viewed & Pick<RunHandle, 'workflowId'>, child: (workflowId: string) => Viewed) {
  const told = new Map<string, number>();
  const gone = new Set<string>();
  let heard = NOTHING_HEARD;
  return {
    /** Asks those that are at work, and for the last time those that are no longer. */
    async listen(status: RunStatus): Promise<Heard> {
      const { children = [] } = status;
      const atWork = new Set(children.map(({ workflowId }) => workflowId));
      for (const { node, workflowId } of children) await ask(node, workflowId);
      for (const { node, workflowId } of heard.agents) {
        if (atWork.has(workflowId) || gone.has(workflowId)) continue;
        await ask(node, workflowId);
        gone.add(workflowId);
      }
      if (status.loop !== undefined) await read(run, run.workflowId);
      return heard;
    },
    /** Asks the agents that were not heard of, once the run has ended. */
    async lookBack(status: RunStatus, nodes: readonly NodeView[]): Promise<Heard> {
      const known = new Set(heard.agents.map(({ workflowId }) => workflowId));
      const ofAgents = nodes.filter(({ executor, status: now }) => isOfAgent(executor) && now !== 'pending');
      for (const { id } of ofAgents.slice(0, LOOKED_FOR)) {
        const workflowId = agentRunId({ workflowId: run.workflowId, chain: status.chain }, status.revision, id);
        if (!known.has(workflowId)) await ask(id, workflowId);
      }
      return heard;
    },
  };

  async function ask(node: string, workflowId: string): Promise<void> {
    const agent = child(workflowId);
    const status = await statusOf(agent);
    if (status === undefined) return;
    const at = heard.agents.findIndex((one) => one.workflowId === workflowId);
    if (JSON.stringify(heard.agents[at]?.status) === JSON.stringify(status)) return;
    // A view that is kept is not read again: where the steps cannot be read, neither is kept.
    await read(agent, workflowId, node);
    const view = { node, workflowId, status };
    heard = { ...heard, agents: at < 0 ? [...heard.agents, view] : heard.agents.with(at, view) };
  }

  async function read(from: Viewed, workflowId: string, node?: string): Promise<void> {
    const { trace } = await from.view(['trace'], { after: told.get(workflowId) ?? 0 });
    told.set(workflowId, trace.entries.at(-1)?.seq ?? told.get(workflowId) ?? 0);
    const fresh = trace.entries
      .filter(({ what }) => what === 'planned' || what === 'compiled')
      .map((entry): ToldStep => ({ workflowId, ...(node !== undefined && { node }), entry }));
    if (fresh.length > 0) heard = { ...heard, steps: [...heard.steps, ...fresh] };
  }
}

/** A child run is listed by its parent a moment before it is there. */
async function statusOf(agent: Viewed): Promise<RunStatus | undefined> {
  try {
    return (await agent.view(['status'])).status;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-run') return undefined;
    throw error;
  }
}
