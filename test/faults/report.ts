/** What people read when a scenario is over: a line of a table, and what is known to fail. */

import type { Finding } from './judge.ts';
import { KNOWN, knownAs } from './known.ts';
import type { Site } from './site.ts';

/** Whether an effect that begins after a stop was heard fails its scenario; else it is counted and told. */
export const STRICT_GATE = true;

export interface Verdict {
  readonly all: readonly Finding[];
  /** Those that are neither known nor only counted so far. */
  readonly failing: readonly Finding[];
}

/** Prints a line for the scenario, and what broke a rule in it. */
export async function settle(
  site: Site,
  scenario: string,
  facts: Readonly<Record<string, unknown>> = {},
): Promise<Verdict> {
  const found = await site.verdict();
  const lines = site.lines();
  const faults = lines.filter((line) => line.kind === 'fault');
  const count = (kind: string) => lines.filter((line) => line.kind === kind).length;
  tell(scenario, {
    runs: count('opened'),
    ended: count('ended'),
    begun: count('begin'),
    done: count('end'),
    faults: faults.length,
    'in flight': faults.filter(({ inFlight }) => inFlight > 0).length,
    ...facts,
    findings: found.length,
  });
  for (const finding of found) process.stderr.write(`  ${inWords(finding)}\n`);
  return { all: found, failing: found.filter(fails) };
}

function inWords(finding: Finding): string {
  const { rule, run, text } = finding;
  const known = knownAs(finding);
  const why = known === undefined ? '' : ` (KNOWN ${known}: ${KNOWN[known]?.reason})`;
  return `${rule}: ${run} ${text}${why}`;
}

function fails(finding: Finding): boolean {
  return (finding.rule !== 'stopped' || STRICT_GATE) && knownAs(finding) === undefined;
}

/** A row: what it is about, and its numbers. */
export function tell(what: string, facts: Readonly<Record<string, unknown>>): void {
  const cells = Object.entries(facts).map(([name, value]) => `${name} ${String(value)}`);
  process.stderr.write(`${what.padEnd(34)} | ${cells.join(' | ')}\n`);
}
