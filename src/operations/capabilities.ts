import { z as zod } from 'zod';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import type { Agent, Capability } from '../capabilities/index.ts';
import { given, type NodeView } from '../protocol/index.ts';
import { wrongUsage } from './operation-error.ts';
import { flagField, IN_PROJECT, operation } from './operation.ts';
import { needProject, type Plans } from './plans.ts';
import { table } from '../plan/lines/index.ts';
import { MERMAID_LIMITS, renderMermaid, type CompiledPlan } from '../plan/index.ts';

const COLUMNS = ['name', 'version', 'effect', 'kind', 'output', 'cost', 'capabilities', 'description'];

/**
 * Prints the name, version, effect, output and description of each capability, and the tools of agents. JSON also has
 * the schemas of arguments.
 *
 * `--policy` prints how the loops of the project or an agent decide (docs/policies.md), as a table or, with
 * `--mermaid`, a diagram. JSON:
 * `{"ok":true,"policy","stages":[{"name","kind","about"?,"writes"}],"exits":[{"from","to","label"?}],"text"}`.
 */
export const capabilities = operation({
  command: {
    words: 'capabilities',
    lines: ['capabilities', 'agents', 'withheld'],
    example: 'capabilities --demo gene-strategies -o json',
    place: IN_PROJECT,
    from: { policy: 'text-or-flag' },
    shows: { text: 'text', capabilities: COLUMNS, agents: COLUMNS, withheld: ['name', 'why'], default: 'value' },
  },
  host: { fields: [] },
  does: 'List what the tasks of the project can do, and its agents.',
  input: (z) =>
    z.object({
      policy: z
        .union([z.literal(true), z.string()])
        .optional()
        .describe('the policy of the project instead, or that of this agent: every stage, every exit'),
      mermaid: flagField(z, 'with --policy: its diagram, as Mermaid'),
    }),
  async run(plans, { policy, mermaid = false }) {
    if (policy !== undefined) return drawPolicy(plans, policy === true ? undefined : policy, mermaid);
    if (mermaid) throw wrongUsage('--mermaid goes with --policy');
    const { registry } = await needProject(plans, 'capabilities');
    const byDefault = registry.defaultExecutor?.name;
    return {
      capabilities: registry.all.map(recordOf),
      agents: registry.agents.flatMap((name) => registry.agent(name) ?? []).map((one) => agentRecord(one, registry)),
      withheld: registry.withheld.filter(({ name }) => registry.capability(name) === undefined),
      ...given({ default: byDefault }),
    };
  },
});

function recordOf({ name, version, kind, effect, output, cost, description, input }: Capability) {
  const schema = zod.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  return { name, version, ...given({ kind, cost }), effect, output, description, arguments: schema };
}

/** Describes an agent. Its prompt, which may be long, is left out, but the version changes with the prompt. */
function agentRecord({ name, description, capabilities: tools, limits, model }: Agent, registry: CapabilityRegistry) {
  const { version = '', effect = 'read' } = registry.executor('agent', name) ?? {};
  const record = { kind: 'agent' as const, name, version, effect, description, limits };
  return { ...record, capabilities: tools.map((tool) => tool.name), ...given({ model }) };
}

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
async function drawPolicy(plans: Plans, agent: string | undefined, isMermaid: boolean) {
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
