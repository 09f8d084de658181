/** An agent as plans are compiled and approved against it: under which version, and with which effect. */

import { createHash } from 'node:crypto';
import { EFFECTS, executorLabel, given } from '../protocol/index.ts';
import { canonicalJson, type Executor } from '../plan/index.ts';
import type { Agent } from './agent.ts';
import type { Capability } from './capability.ts';

/** Hexadecimal digits: two agents of one project must not meet, and a person reads them in the text of a plan. */
const DIGITS = 12;

/** Its effect is the highest that its capabilities have; without any it only thinks, which is `read`. */
export function agentExecutor(agent: Agent): Executor {
  const ranks = agent.capabilities.map(({ effect }) => EFFECTS.indexOf(effect));
  const effect = EFFECTS[Math.max(0, ...ranks)] ?? 'read';
  return { kind: 'agent', name: agent.name, version: versionOf(agent), effect };
}

export function capabilityExecutor({ name, version, effect, usesGoal }: Capability): Executor {
  return { kind: 'capability', name, version, effect, ...(usesGoal === false && { usesGoal }) };
}

/**
 * The first digits of SHA-256 over the canonical form of the agent: its instructions, its model, its limits and its
 * capabilities. People approve exactly these; a policy counts by its name, since the decisions of its stages are
 * approved step by step. The order of its capabilities does not count; its description is for choosing only.
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
