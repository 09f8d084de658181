/** `planwright capabilities`: the tasks that a project can carry out, and its agents. */

import { table } from '../../language/text/index.ts';
import { defineCommand, type OutputOf } from '../define-command.ts';
import { PROJECT } from './tables.ts';

export const capabilitiesCommand = defineCommand({
  name: 'capabilities',
  description: 'what the tasks of this project can do, and its agents',
  examples: ['planwright capabilities --demo gene-strategies -o json'],
  flags: PROJECT,
  operation: 'capabilities',
  input: () => ({}),
  show: textOf,
  lines: ['capabilities', 'agents'],
});

function textOf({ capabilities, agents, default: byDefault }: OutputOf<'capabilities'>): string {
  const rows = capabilities.map(({ name, version, kind, effect, output, cost, description }) => [
    `${name}@${version}`,
    kind === 'wait' ? 'asks a person' : effect,
    output,
    cost === undefined ? '' : String(cost),
    description,
  ]);
  const ofAgents = agents.map(({ name, version, effect, capabilities: tools, description }) => [
    `${name}@${version}`,
    effect,
    tools.join(', '),
    description,
  ]);
  return [
    table([['capability', 'effect', 'output', 'cost', 'description'], ...rows]),
    ...(agents.length === 0 ? [] : [table([['agent', 'effect', 'tools', 'description'], ...ofAgents])]),
    ...(byDefault === undefined ? [] : [`default: ${byDefault}`]),
  ].join('\n\n');
}
