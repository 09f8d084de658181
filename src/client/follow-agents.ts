import {
  agentRunId,
  isOfAgent,
  type NodeView,
  type RunStatus,
  type RunView,
  type LoopStep,
} from '../protocol/index.ts';
import { ClientError } from './client-error.ts';
import type { RunHandle } from './run-handle.ts';

type AgentsAndSteps = Pick<RunView, 'agents' | 'steps'>;
type Viewable = Pick<RunHandle, 'view'>;

export const NO_AGENTS: AgentsAndSteps = { agents: [], steps: [] };

/** Maximum number of agents to look for after the run has ended. Each needs a query. */
const LOOKED_FOR = 100;

/** Follows the agents of a run. @param child opens an agent's run */
export function followAgents(run: Viewable & Pick<RunHandle, 'workflowId'>, child: (workflowId: string) => Viewable) {
  const told = new Map<string, number>();
  const gone = new Set<string>();
  let heard = NO_AGENTS;
  return {
    /** Queries every running agent, and each agent that has just ended one last time. */
    async listen(status: RunStatus): Promise<AgentsAndSteps> {
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
    /** Queries, after the end of the run, the agents that were never queried. */
    async lookBack(status: RunStatus, nodes: readonly NodeView[]): Promise<AgentsAndSteps> {
      const known = new Set(heard.agents.map(({ workflowId }) => workflowId));
      const ofAgents = nodes.filter(({ executor, status: now }) => isOfAgent(executor) && now !== 'pending');
      for (const { id } of ofAgents.slice(0, LOOKED_FOR)) {
        const workflowId = agentRunId(
          { workflowId: run.workflowId, firstRunId: status.firstRunId },
          status.revision,
          id,
        );
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
    // If a read fails, this throws before the view is stored, so that both are tried again.
    await read(agent, workflowId, node);
    const view = { node, workflowId, status };
    heard = { ...heard, agents: at < 0 ? [...heard.agents, view] : heard.agents.with(at, view) };
  }

  async function read(from: Viewable, workflowId: string, node?: string): Promise<void> {
    const { trace } = await from.view(['trace'], { after: told.get(workflowId) ?? 0 });
    told.set(workflowId, trace.entries.at(-1)?.seq ?? told.get(workflowId) ?? 0);
    const fresh = trace.entries
      .filter(({ what }) => what === 'planned' || what === 'compiled')
      .map((entry): LoopStep => ({ workflowId, ...(node !== undefined && { node }), entry }));
    if (fresh.length > 0) heard = { ...heard, steps: [...heard.steps, ...fresh] };
  }
}

/** The status of an agent's run; undefined if the run does not exist yet. Its parent lists it earlier. */
async function statusOf(agent: Viewable): Promise<RunStatus | undefined> {
  try {
    return (await agent.view(['status'])).status;
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-run') return undefined;
    throw error;
  }
}
