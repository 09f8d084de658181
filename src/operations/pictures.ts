import { table } from '../plan/lines/index.ts';
import { MERMAID_LIMITS, renderMermaid, type CompiledPlan } from '../plan/index.ts';
import { given, type NodeView } from '../protocol/index.ts';
import { wrongUsage } from './operation-error.ts';
import { needProject, type Plans } from './plans.ts';

/** Draws the plan with its nodes' states as a Mermaid diagram. `limits`: why Mermaid cannot draw it by default. */
export function mermaidOf(plan: CompiledPlan, nodes?: readonly NodeView[]) {
  const states = nodes && Object.fromEntries(nodes.map(({ id, status }) => [id, status]));
  const mermaid = renderMermaid(plan, given({ states }));
  return { mermaid, ...given({ states, limits: limitsOf(mermaid) }) };
}

function limitsOf(text: string): string | undefined {
  const arrows = text.match(/ -->/g)?.length ?? 0;
  if (text.length <= MERMAID_LIMITS.characters && arrows <= MERMAID_LIMITS.edges) return undefined;
  return (
    `the diagram has ${text.length} characters and ${arrows} arrows; Mermaid draws ` +
    `${MERMAID_LIMITS.characters} and ${MERMAID_LIMITS.edges} unless its maxTextSize and maxEdges are raised`
  );
}

/** The policy of an agent or of the project's loops, as a table or a diagram. */
export async function drawPolicy(plans: Plans, agent: string | undefined, isMermaid: boolean) {
  const { exitsOf, policyPicture } = await import('../capabilities/policy/index.ts');
  const found = await policyOf(plans, agent);
  const stages = found.stages.map(({ name, kind, about, writes = [] }) => ({
    name,
    kind,
    ...given({ about }),
    writes,
  }));
  const rows = stages.map(({ name, kind, about = '', writes }) => [name, kind, writes.join(', '), about]);
  return {
    ...{ policy: found.name, stages, exits: exitsOf(found) },
    text: isMermaid ? policyPicture(found) : table(rows),
  };
}

async function policyOf(plans: Plans, agent: string | undefined) {
  const { policy: projectPolicy, registry } = await needProject(plans, 'capabilities --policy');
  const { modelPolicy } = await import('../planner/index.ts');
  if (agent === undefined) return projectPolicy ?? modelPolicy;
  const found = registry.agent(agent);
  if (found !== undefined) return found.policy ?? modelPolicy;
  const hint = registry.agents.length === 0 ? 'it has none' : `it has ${registry.agents.join(', ')}`;
  throw wrongUsage(`--policy: the project has no agent ${agent}; ${hint}`);
}
