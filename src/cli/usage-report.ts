/** The usage of the models of a run and of its agents, by node. */

import { addUsage, NO_USAGE, agentsIdOf, type RunView, type Usage } from '../protocol/index.ts';

export interface UsageReport {
  /** The run's own and that of its agents. */
  readonly total: Usage;
  /** The run's own: its planner, its decisions and its capabilities. */
  readonly run: Usage;
  /** That of agents, by the node that they worked for: `node_2`, or `r3.node_2` in the third plan of the run. */
  readonly nodes: Readonly<Record<string, Usage>>;
}

/** undefined where no model was asked. */
export function usageReport(
  workflowId: string,
  { status, agents }: Pick<RunView, 'status' | 'agents'>,
): UsageReport | undefined {
  const nodes: Record<string, Usage> = {};
  for (const agent of agents) {
    const { usage } = agent.status;
    const prefix = agentsIdOf({ workflowId, chain: agent.status.chain });
    if (usage !== undefined) nodes[agent.workflowId.slice(prefix.length + 1)] = usage;
  }
  const run = status?.usage ?? NO_USAGE;
  const report: UsageReport = { total: Object.values(nodes).reduce(addUsage, run), run, nodes };
  return report.total.calls === 0 ? undefined : report;
}
