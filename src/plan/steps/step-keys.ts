import { quote } from '../text/index.ts';
import { readForeignKeys, type ForeignKeys } from '../foreign-keys.ts';
import { didYouMean } from '../issues/index.ts';
import { NAMES, keysOf } from '../names.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

/** The texts of a step beside its objective: their keys, and the task fields that they become. */
export const STEP_TEXTS = (['action', 'description', 'expectedOutput', 'successCriteria'] as const).map(
  (field) => [NAMES.step[field].keys[0], field] as const,
);

const STEP_KEYS = keysOf('step');

export function isStepKey(key: string): boolean {
  return STEP_KEYS.includes(key);
}

export function readStepKeys({ node, place }: NodeSource, position: number, reading: Reading): ForeignKeys {
  const keys = Object.keys(node).filter((key) => !isStepKey(key));
  if (keys.length === 0) return { source: { node, place } };
  return readForeignKeys({ node, place }, 'step', keys, reading, {
    ownId: node['context_key'] ?? node['step_id'] ?? node['id'] ?? node['step'] ?? position,
    position,
    unread: (key) =>
      `A step has no key ${quote(key)}; it is not read.${didYouMean(key, STEP_KEYS)} If the step needs it, put it into "parameters".`,
  });
}
