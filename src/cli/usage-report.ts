import { addUsage, NO_USAGE, agentsIdOf, type RunView, type Usage } from '../protocol/index.ts';

export interface UsageReport {
  readonly total: Usage;
  readonly run: Usage;
  /** The usage of each agent, by its node: `node_2`, or `r3.node_2` in the run's third plan. */
  readonly nodes: Readonly<Record<string, Usage>>;
}

export function usageReport(
  workflowId: string,
  { status, agents }: Pick<RunView, 'status' | 'agents'>,
): UsageReport | undefined {
  const nodes: Record<string, Usage> = {};
  for (const agent of agents) {
    const { usage } = agent.status;
    const prefix = agentsIdOf({ workflowId, firstRunId: agent.status.firstRunId });
    if (usage !== undefined) nodes[agent.workflowId.slice(prefix.length + 1)] = usage;
  }
  const run = status?.usage ?? NO_USAGE;
  const report: UsageReport = { total: Object.values(nodes).reduce(addUsage, run), run, nodes };
  return report.total.calls === 0 ? undefined : report;
}
