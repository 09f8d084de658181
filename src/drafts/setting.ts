/** What the functions of this room work with. */

import { compilePlan, type Catalogue, type CompileResult, type Limits } from '../plan/index.ts';
import type { ResultStore } from '../results/index.ts';
import { refuse, type DraftRefusal } from './draft-error.ts';
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

export function compileDraft(setting: Setting, document: unknown): CompileResult {
  const { catalogue, limits } = setting;
  return compilePlan(document, {
    ...(catalogue !== undefined && { catalogue }),
    ...(limits !== undefined && { limits }),
  });
}

export function invalidEntry(problems: Problems): DraftRefusal {
  return refuse('invalid-entry', `Nothing was done: ${problems.join('; ')}.`);
}
