/** Faults of the product, or of what it stands on, that scenarios have shown and that are not mended yet. */

import type { Finding, Rule } from './judge.ts';

interface Fault {
  readonly rules: readonly Rule[];
  readonly text: RegExp;
  readonly reason: string;
}

/** A finding that fits one of these is told with its reason and does not fail its scenario. Mended: take it out. */
export const KNOWN: Readonly<Record<string, Fault>> = {
  'order-of-updates': {
    rules: ['wedged', 'replay'],
    text: /Update machine does not handle this event/,
    reason: 'a run that takes an update while its worker is replaced is recorded in an order that does not replay',
  },
};

export function knownAs({ rule, text }: Finding): string | undefined {
  return Object.entries(KNOWN).find(([, known]) => known.rules.includes(rule) && known.text.test(text))?.[0];
}
