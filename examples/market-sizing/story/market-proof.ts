/** The conditions that hold at the end of the story. Pure but for the pages, so that a test can hand it what proves the contrary. */

import { lineOf, sizeOf, type Factors } from '../expected.ts';
import type { ReportedNumber } from '../policy/report.ts';

/** The answer of the run at its end. */
export interface MarketReport {
  readonly outcome: 'done' | 'aborted';
  readonly memo: string;
  readonly numbers: readonly ReportedNumber[];
  readonly csv: string;
}

const FACTORS = ['households', 'ebikes_per_100', 'replaced_share', 'battery_price', 'reach'] as const;

/** Sentences; empty when every number of a page stands on the line that is named, and memo and CSV leave none out. */
export function faultsOfSources({ memo, numbers, csv }: MarketReport, pages: string): readonly string[] {
  const faults: string[] = [];
  for (const { field, value, from, place } of numbers) {
    if (!memo.includes(value) || !csv.includes(value)) faults.push(`Memo or CSV leaves out ${field}, ${value}.`);
    if (from !== 'page') continue;
    const line = lineOf(pages, place);
    if (!line.replaceAll(',', '').includes(value)) {
      faults.push(`${field} is ${value} by ${place}, which says ${JSON.stringify(line)}.`);
    }
  }
  return faults;
}

/** Sentences; empty when the planning is done, and its size is what the five numbers of the script make. */
export function faultsOfSize({ outcome, numbers }: MarketReport): readonly string[] {
  if (outcome !== 'done') return [`The planning ended as ${outcome}.`];
  const valueOf = (field: string) => numbers.find((one) => one.field === field)?.value;
  const missing = FACTORS.filter((field) => valueOf(field) === undefined);
  if (missing.length > 0) return [`The size stands on nothing for ${missing.join(', ')}.`];
  const factors = Object.fromEntries(FACTORS.map((field) => [field, valueOf(field)])) as unknown as Factors;
  const size = sizeOf(factors);
  const told = valueOf('market_size');
  return told === size ? [] : [`The size should be ${size}, and is ${told ?? 'not told'}.`];
}
