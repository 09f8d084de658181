/** The setting that the functions of this room share. */

import { compilePlan, type Catalogue, type CompileResult, type Limits } from '../../../plan/index.ts';
import type { ResultStore } from '../../../store/index.ts';
import { refuse, type DraftRefusal } from './draft-error.ts';
import type { NamedResult } from './entry.ts';
import { readLabel, readText, type Problems } from './read-fields.ts';

export interface Setting {
  readonly store: ResultStore;
  readonly catalogue: Catalogue | undefined;
  readonly limits: Partial<Limits> | undefined;
  readonly now: () => number;
  readonly newId: () => string;
}

/** The part that every entry has. */
export interface Author {
  readonly conversation: string;
  readonly createdAt: string;
  readonly by?: string;
}

export function authorOf(setting: Setting, conversation: unknown, by: unknown, problems: Problems): Author {
  return {
    conversation: readLabel('conversation', conversation, problems),
    createdAt: new Date(setting.now()).toISOString(),
    ...(by !== undefined && { by: readLabel('by', by, problems) }),
  };
}

/** Unique where no key was given; keys of two kinds never meet. */
export function keyOf(setting: Setting, kind: string, key: unknown, problems: Problems): string {
  if (key === undefined) return `${kind}/new/${setting.newId()}`;
  const text = readText('idempotencyKey', key, problems);
  if (text === undefined) problems.push('idempotencyKey: expected a text that is not blank');
  return `${kind}/given/${text ?? ''}`;
}

/**
 * `limits` are those of the caller; where the setting has limits too, the tighter one counts. `results` are those of
 * the conversation, which the steps of a list may name.
 */
export function compileDraft(
  { catalogue, ...setting }: Setting,
  document: unknown,
  limits: Partial<Limits> = {},
  results: readonly NamedResult[] = [],
): CompileResult {
  return compilePlan(document, {
    contextRefs: Object.fromEntries(results.map(({ key, ref }) => [key, ref])),
    ...(catalogue !== undefined && { catalogue }),
    limits: tighterLimits(setting.limits ?? {}, limits),
  });
}

function tighterLimits(one: Partial<Limits>, other: Partial<Limits>): Partial<Limits> {
  const names = Object.keys({ ...one, ...other }) as (keyof Limits)[];
  return Object.fromEntries(names.map((name) => [name, Math.min(one[name] ?? Infinity, other[name] ?? Infinity)]));
}

export function invalidEntry(problems: Problems): DraftRefusal {
  return refuse('invalid-entry', `Nothing was done: ${problems.join('; ')}.`);
}
