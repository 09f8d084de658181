/** The version and effect of an agent, for compilation and approval. */

import { createHash } from 'node:crypto';
import { EFFECTS, executorLabel, given } from '../protocol/index.ts';
import { canonicalJson, type Executor } from '../plan/index.ts';
import type { Agent } from './agent.ts';
import type { Capability } from './capability.ts';

/** Hexadecimal digits: enough to be unique in a project, and people read them in the text of a plan. */
const DIGITS = 12;

/** Its effect is the highest of its capabilities; without any it is `read`. */
export function agentExecutor(agent: Agent): Executor {
  const ranks = agent.capabilities.map(({ effect }) => EFFECTS.indexOf(effect));
  const effect = EFFECTS[Math.max(0, ...ranks)] ?? 'read';
  return { kind: 'agent', name: agent.name, version: versionOf(agent), effect };
}

export function capabilityExecutor({ name, version, effect, usesGoal }: Capability): Executor {
  return { kind: 'capability', name, version, effect, ...(usesGoal === false && { usesGoal }) };
}

/**
 * The first digits of SHA-256 over the agent's canonical form: its instructions, model, limits and capabilities. People
 * approve exactly these. A policy counts by its name, since the decisions of its stages are approved step by step. The
 * order of capabilities and the description do not count.
 */
function versionOf({ instructions, model = {}, policy, capabilities, limits, budget }: Agent): string {
  const labels = capabilities.map((one) => executorLabel(capabilityExecutor(one))).toSorted();
  const { name, temperature, maxTokens } = model;
  const whole = {
    instructions,
    model: given({ name, temperature, maxTokens }),
    limits: { ...limits },
    capabilities: labels,
    ...(policy !== undefined && { policy: policy.name }),
    ...(budget !== undefined && { budget: { ...budget } }),
  };
  return createHash('sha256').update(canonicalJson(whole)).digest('hex').slice(0, DIGITS);
}
