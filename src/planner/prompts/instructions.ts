/** The one builder of instructions: for planning, for deciding step by step and for the small stages around them. */

import type { Agent, Capability } from '../../capabilities/index.ts';
import { DATA_RULE } from './fence.ts';
import { PROMPTS } from './built-in.ts';
import { agentLines, capabilityGuides } from './guides.ts';
import { filled, type PromptName, type Prompts } from './templates.ts';

export interface Instructed {
  readonly capabilities?: readonly Capability[];
  readonly agents?: readonly Agent[];
  readonly prompts?: Prompts;
  /** Tasks without an executor go to the project's default. Default false. */
  readonly hasDefault?: boolean;
}

/**
 * The system message of a stage. It holds nothing of the goal, the time or chance, so that servers of models can keep
 * what they made of it: the same capabilities and agents give the same bytes. No template takes away its rule about
 * data.
 * @example instructionsFor('reactive', { capabilities, agents, prompts: {} });
 */
export function instructionsFor(
  name: PromptName,
  { capabilities = [], agents = [], prompts = {}, hasDefault = false }: Instructed = {},
): string {
  const { template, rules, form } = PROMPTS[name];
  const text = filled(prompts[name] ?? template, {
    capabilities: capabilityGuides(capabilities),
    agents: agentLines(agents),
    rules,
    form: typeof form === 'string' ? form : form({ capabilities, agents, hasDefault }),
  });
  return `${text}\n\n# Data\n${DATA_RULE}`;
}
