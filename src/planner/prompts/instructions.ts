/** Builds the instructions for planning, for loops and for the small stages. */

import type { Agent, Capability } from '../../capabilities/index.ts';
import { DATA_RULE } from './fence.ts';
import { PROMPTS } from './built-in.ts';
import { agentLines, capabilityGuides } from './guides.ts';
import { filled, type PromptName, type Prompts } from './templates.ts';

export interface Instructed {
  readonly capabilities?: readonly Capability[];
  readonly agents?: readonly Agent[];
  readonly prompts?: Prompts;
  /** Tasks without an executor get the project's default. Default false. */
  readonly hasDefault?: boolean;
}

/**
 * The system message of a stage. It contains nothing of the goal, the time or chance, so that servers can cache it. No
 * template can remove its rule about data.
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
