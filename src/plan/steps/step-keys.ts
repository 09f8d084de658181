/** The keys that a step can have. */

import { quote } from '../text/index.ts';
import { readForeignKeys, type ForeignKeys } from '../foreign-keys.ts';
import { didYouMean } from '../issues/index.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

/** Osprey's name and Calute's name of what identifies a step. */
export const STEP_ID_KEYS = ['context_key', 'step_id'] as const;
export const STEP_ARGUMENT_KEYS = ['parameters', 'arguments'] as const;

/** The texts of a step beside its objective: their keys, and the fields of a task that they become. */
export const STEP_TEXTS = [
  ['action', 'action'],
  ['description', 'description'],
  ['expected_output', 'expectedOutput'],
  ['success_criteria', 'successCriteria'],
] as const;

/** Osprey: PlannedStep; Calute: PlanStep. A step may have the keys of both. */
const STEP_KEYS: readonly string[] = [
  ...STEP_ID_KEYS,
  ...STEP_ARGUMENT_KEYS,
  'capability',
  'task_objective',
  ...STEP_TEXTS.map(([key]) => key),
  'inputs',
  'agent',
  'dependencies',
];
const KNOWN = new Set(STEP_KEYS);

export function isStepKey(key: string): boolean {
  return KNOWN.has(key);
}

/** The step in keys of ours, and its keys that are not read. */
export function readStepKeys({ node, place }: NodeSource, reading: Reading): ForeignKeys {
  const keys = Object.keys(node).filter((key) => !KNOWN.has(key));
  if (keys.length === 0) return { source: { node, place } };
  return readForeignKeys({ node, place }, 'step', keys, reading, {
    ownId: node['context_key'] ?? node['step_id'],
    unread: (key) =>
      `A step has no key ${quote(key)}; it is not read.${didYouMean(key, STEP_KEYS)} If the step needs it, put it into "parameters".`,
  });
}
