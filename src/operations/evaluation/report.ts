/** How a report compares with an earlier one. */

import { z } from 'zod';
import { LIMITS } from './limits.ts';

const Rated = z.object({ name: z.string(), pass1: z.number().min(0).max(1) });
/** The part of a report that a comparison reads. */
const Earlier = z.object({ version: z.literal(1), model: z.string(), cases: z.array(Rated).max(LIMITS.cases) });
type EarlierReport = z.output<typeof Earlier>;

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

/** By the names of the cases and their `pass1`. A case that is only in the earlier report is `gone`. */
export function compareReports(
  { cases }: { readonly cases: readonly z.output<typeof Rated>[] },
  earlier: EarlierReport,
) {
  const known = new Map(earlier.cases.map(({ name, pass1 }) => [name, pass1]));
  const now = cases.map(({ name, pass1 }) => {
    const before = known.get(name);
    if (before === undefined) return { name, change: 'new' as const };
    const change = pass1 < before ? 'worse' : pass1 > before ? 'better' : ('same' as const);
    return { name, change, before };
  });
  const names = new Set(cases.map(({ name }) => name));
  const gone = earlier.cases.filter(({ name }) => !names.has(name));
  const lost = gone.map(({ name, pass1 }) => ({ name, change: 'gone' as const, before: pass1 }));
  return { model: earlier.model, changes: [...now, ...lost] };
}
