/** The report of an evaluation, what it counts to, and how it compares with an earlier one. */

import { z } from 'zod';
import { addUsage, NO_USAGE, type Usage } from '../../protocol/index.ts';
import type { Grade } from './graders.ts';
import { LIMITS } from './limits.ts';
import type { Way } from './seen.ts';

/** One plan of one case. */
export interface Attempt {
  readonly passed: boolean;
  readonly way: Way;
  readonly asked: number;
  /** Of the plan; absent for a loop. */
  readonly digest?: string;
  /** The names of the steps that a loop has decided. */
  readonly steps?: readonly string[];
  readonly grades: readonly Grade[];
  /** The cost of its replies when they were bought. */
  readonly usage: Usage;
  /** Calls that went out now, and replies that were in the journal. */
  readonly bought: number;
  readonly reused: number;
  /** Why it is a fallback, or has no end. */
  readonly trouble?: string;
}

export interface CaseReport {
  readonly name: string;
  readonly attempts: readonly Attempt[];
}

/** `pass1` is the part of all attempts that passed, `passK` that of the cases of which one attempt passed, both 0 to 1. */
export interface Rates {
  readonly pass1: number;
  readonly passK: number;
}

export interface Report extends Rates {
  readonly version: 1;
  readonly model: string;
  readonly repeat: number;
  readonly cases: readonly (CaseReport & Rates)[];
  readonly usage: Usage;
  readonly bought: number;
  readonly reused: number;
}

export function reportOf(model: string, repeat: number, reports: readonly CaseReport[]): Report {
  const cases = reports.map((one) => {
    const passes = one.attempts.filter(({ passed }) => passed).length;
    return { ...one, pass1: passes / one.attempts.length, passK: passes > 0 ? 1 : 0 };
  });
  const attempts = reports.flatMap((one) => one.attempts);
  const mean = (rate: keyof Rates) => cases.reduce((sum, one) => sum + one[rate], 0) / cases.length;
  return {
    ...{ version: 1, model, repeat, pass1: mean('pass1'), passK: mean('passK'), cases },
    usage: attempts.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
    bought: attempts.reduce((sum, one) => sum + one.bought, 0),
    reused: attempts.reduce((sum, one) => sum + one.reused, 0),
  };
}

/** Whether an attempt did not pass. */
export function hasFailed({ pass1 }: Rates): boolean {
  return pass1 < 1;
}

/** The part of an earlier report that a comparison reads. */
const rate = z.number().min(0).max(1);
const Earlier = z.object({
  version: z.literal(1),
  model: z.string(),
  cases: z.array(z.object({ name: z.string(), pass1: rate })).max(LIMITS.cases),
});
export type EarlierReport = z.output<typeof Earlier>;

/** @returns the report, or why the text is none */
export function readReport(content: string): EarlierReport | string {
  try {
    const read = Earlier.safeParse(JSON.parse(content));
    if (read.success) return read.data;
    return read.error.issues.map(({ path, message }) => `$.${path.join('.')}: ${message}`).join('; ');
  } catch (error) {
    return `no JSON: ${(error as Error).message}`;
  }
}

export type Change = 'worse' | 'better' | 'same' | 'new' | 'gone';

export interface Comparison {
  readonly model: string;
  readonly changes: readonly { readonly name: string; readonly change: Change; readonly before?: number }[];
}

/** By the names of the cases and their `pass1`. A case that is only in the earlier report is `gone`. */
export function compareReports({ cases }: Report, earlier: EarlierReport): Comparison {
  const known = new Map(earlier.cases.map(({ name, pass1 }) => [name, pass1]));
  const now = cases.map(({ name, pass1 }) => {
    const before = known.get(name);
    if (before === undefined) return { name, change: 'new' as const };
    const change: Change = pass1 < before ? 'worse' : pass1 > before ? 'better' : 'same';
    return { name, change, before };
  });
  const names = new Set(cases.map(({ name }) => name));
  const gone = earlier.cases.filter(({ name }) => !names.has(name));
  const lost = gone.map(({ name, pass1 }) => ({ name, change: 'gone' as const, before: pass1 }));
  return { model: earlier.model, changes: [...now, ...lost] };
}
