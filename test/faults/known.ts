/** Faults of the product, or of what it stands on, that scenarios have shown and that are not mended yet. */

import type { Finding, Rule } from './judge.ts';

interface Fault {
  readonly rules: readonly Rule[];
  readonly text: RegExp;
  readonly reason: string;
}

/** A finding that fits one of these is told with its reason and does not fail its scenario. Mended: take it out. */
export const KNOWN: Readonly<Record<string, Fault>> = {
  'broken-streams': {
    rules: ['gave-up'],
    text: /13 INTERNAL|1 CANCELLED/,
    reason: 'the client takes a stream that broke off on the way for an answer, and does not wait on',
  },
};

export function knownAs({ rule, text }: Finding): string | undefined {
  return Object.entries(KNOWN).find(([, known]) => known.rules.includes(rule) && known.text.test(text))?.[0];
}

/** Ways of hostile capabilities, and floods, that a worker does not stand yet, and what happens. */
export const KNOWN_WAYS: Readonly<Record<string, string>> = {
  'rejects unhandled': 'a worker that is not started by our command dies of a rejection that nobody handles',
  'a flood of signals': 'the worker aborts in an activation that takes longer than 5 s',
  'blocks the event loop': 'while it blocks nothing else beats, and the work beside it uses its attempts up and fails',
  'throws from a timer': 'a worker that is not started by our command dies of what a timer throws',
};

/** Damages of the result store that the product does not mend yet. */
export const KNOWN_STORE: Readonly<Record<string, string>> = {};
