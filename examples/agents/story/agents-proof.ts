/** The conditions that hold at the end of the story. Pure, so that a test can hand it what proves the contrary. */

import type { Filed } from '../archive.ts';
import { ISLANDS, totalsOf } from '../expected.ts';

/** Sentences; empty when one report was filed, and it says what the corpus holds. */
export function faultsOfReport(filed: readonly Filed[]): readonly string[] {
  const [report, ...more] = filed;
  if (report === undefined) return ['No report was filed.'];
  const faults = more.length === 0 ? [] : [`${filed.length} reports were filed, and one was approved.`];
  for (const island of ISLANDS) {
    const { passengers, crossings, calledOff } = totalsOf(island);
    const says = `${island}: ${passengers} passengers on ${crossings} crossings, ${calledOff} called off`;
    if (!report.text.includes(says)) faults.push(`The report should say "${says}", which the corpus adds up to.`);
  }
  return faults;
}
