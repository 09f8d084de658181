/** The one builder of instructions: for planning, for deciding step by step and for the small stages around them. */

import type { Agent, Capability } from '../../define/index.ts';
import { DATA_RULE } from './fence.ts';
import { agentLines, capabilityGuides } from './guides.ts';
import { formOf, rulesOf } from './rules.ts';
import { filled, TEMPLATES, type PromptName, type Prompts } from './templates.ts';

export interface Instructed {
  readonly capabilities?: readonly Capability[];
  readonly agents?: readonly Agent[];
  readonly prompts?: Prompts;
}

/**
 * The system message of a stage. It holds nothing of the goal, the time or chance, so that servers of models can keep
 * what they made of it: the same capabilities and agents give the same bytes. No template takes away its rule about
 * data.
 * @example instructionsFor('reactive', { capabilities, agents, prompts: {} });
 */
export function instructionsFor(
  name: PromptName,
  { capabilities = [], agents = [], prompts = {} }: Instructed = {},
): string {
  const text = filled(prompts[name] ?? TEMPLATES[name], {
    capabilities: capabilityGuides(capabilities),
    agents: agentLines(agents),
    rules: rulesOf(name),
    form: formOf(name),
  });
  return `${text}\n\n# Data\n${DATA_RULE}`;
}
