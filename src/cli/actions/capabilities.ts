/** `planwright capabilities`: what the tasks of a project can do. */

import { z } from 'zod';
import type { Agent, Capability } from '../../define/index.ts';
import type { CapabilityRegistry } from '../../builtin/index.ts';
import type { ProjectOptions } from '../../edge/project/index.ts';
import type { Output } from '../terminal/index.ts';
import { exitCode } from '../exit-codes.ts';
import type { GlobalOptions } from '../global-options.ts';
import { requireProject } from '../require-project.ts';
import { table } from '../showing/index.ts';

export async function capabilities(options: ProjectOptions & GlobalOptions, output: Output): Promise<number> {
  const { registry } = await requireProject(options, 'capabilities');
  const byDefault = registry.defaultExecutor?.name;
  const records = registry.all.map(recordOf);
  const agents = registry.agents.flatMap((name) => registry.agent(name) ?? []);
  const told = agents.map((agent) => agentRecord(agent, registry));
  const text = () => textOf(registry.all, told, byDefault);
  output.print(
    { ok: true, capabilities: records, agents: told, ...(byDefault !== undefined && { default: byDefault }) },
    text,
    () => [...records, ...told],
  );
  return exitCode('done');
}

function recordOf({ name, version, kind, effect, output, cost, description, input }: Capability) {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  const asked = { ...(kind !== undefined && { kind }), ...(cost !== undefined && { cost }) };
  return { name, version, ...asked, effect, output, description, arguments: schema };
}

/** What its model is told stays out: it may be long, and its version says whether it is another. */
function agentRecord({ name, description, capabilities: tools, limits, model }: Agent, registry: CapabilityRegistry) {
  const { version = '', effect = 'read' } = registry.executor('agent', name) ?? {};
  const told = { kind: 'agent' as const, name, version, effect, description, limits };
  return { ...told, capabilities: tools.map((tool) => tool.name), ...(model !== undefined && { model }) };
}

function textOf(
  all: readonly Capability[],
  agents: readonly ReturnType<typeof agentRecord>[],
  byDefault: string | undefined,
): string {
  const rows = all.map(({ name, version, kind, effect, output, cost, description }) => [
    `${name}@${version}`,
    kind === 'wait' ? 'asks a person' : effect,
    output,
    cost === undefined ? '' : String(cost),
    description,
  ]);
  const last = byDefault === undefined ? '' : `\n\ndefault: ${byDefault}`;
  const ofAgents = agents.map((agent) => [
    `${agent.name}@${agent.version}`,
    agent.effect,
    agent.capabilities.join(', '),
    agent.description,
  ]);
  const agentTable =
    ofAgents.length === 0 ? '' : `\n\n${table([['agent', 'effect', 'tools', 'description'], ...ofAgents])}`;
  return `${table([['capability', 'effect', 'output', 'cost', 'description'], ...rows])}${agentTable}${last}`;
}
