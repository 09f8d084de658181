/** A budget in words for people. */

import { SPENT, type Spending } from '../../../protocol/index.ts';
import { grouped } from '../../../plan/text/index.ts';

/** @example spentText({ tokens: 50_210, steps: 12 }, { tokens: 50_000, steps: 40 }); // '50,210 of 50,000 tokens, 12 of 40 steps' */
export function spentText(spent: Spending, limit: Spending): string {
  const parts = SPENT.filter((member) => limit[member] !== undefined).map(
    (member) => `${amount(spent[member] ?? 0)} of ${amount(limit[member] ?? 0)} ${member}`,
  );
  return parts.join(', ');
}

/** Money has up to four digits behind its point. */
function amount(value: number): string {
  return Number.isInteger(value) ? grouped(value) : value.toFixed(4).replace(/0+$/, '');
}
