/** Effects and states in words for readers. Commands and JSON use the protocol's names. */

import type { OutlineEntry } from '../../plan/outline/index.ts';
import { html, type Html } from '../markup.ts';

const EFFECTS: Readonly<Record<string, string>> = {
  read: 'only reads',
  idempotent: 'safe to repeat',
  'at-most-once': 'once only',
};

const STATES: Readonly<Record<string, string>> = {
  'awaiting-approval': 'waits for approval',
  drafting: 'is being planned',
  'timed-out': 'timed out',
};

export function effectWord(effect: string): string {
  return EFFECTS[effect] ?? effect;
}

/** Text such as `once only on magnet-12`; '' for a read. */
export function effectText({ effect = 'read', resource }: Pick<OutlineEntry, 'effect' | 'resource'>): string {
  if (effect === 'read') return '';
  return `${effectWord(effect)}${resource === undefined ? '' : ` on ${resource}`}`;
}

export function effectChip(entry: Pick<OutlineEntry, 'effect' | 'resource'>): Html | '' {
  const text = effectText(entry);
  return text === '' ? '' : html` <b class="fx ${entry.effect}">${text}</b>`;
}

export function inWords(sum: string): string {
  return sum.replaceAll(/(?<=(?:^|[,;] )[\d,]+ )(?:idempotent|at-most-once)(?=[:;,]|$)/g, effectWord);
}

export function stateWord(state: string): string {
  return STATES[state] ?? state;
}
