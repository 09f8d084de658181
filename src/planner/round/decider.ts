/** The decider of a round: an agent or the project, with its policy and its tools. */

import type { Agent, Capability, DecidingTask, LoopPolicy } from '../../capabilities/index.ts';
import { toolsFor, type Tools } from './tools.ts';

export interface Decider {
  /** Absent where the project itself decides. */
  readonly agent?: Agent;
  readonly policy: LoopPolicy;
  readonly task: DecidingTask;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  readonly tools: Tools;
}

/** The decider with its capabilities and agents as tools, and with `submit_plan`. */
export function withTools(decider: Omit<Decider, 'tools'>): Decider {
  return { ...decider, tools: toolsFor({ ...decider, plans: true }) };
}

/** With the capabilities of these names as tools, in the order of the project. */
export function offering({ capabilities, ...decider }: Decider, names: readonly string[]): Decider {
  return withTools({ ...decider, capabilities: capabilities.filter(({ name }) => names.includes(name)) });
}
