import { z as zod } from 'zod';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import type { Agent, Capability } from '../capabilities/index.ts';
import { given } from '../protocol/index.ts';
import { wrongUsage } from './operation-error.ts';
import { flagField, IN_PROJECT, operation } from './operation.ts';
import { drawPolicy } from './pictures.ts';
import { needProject } from './plans.ts';

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
