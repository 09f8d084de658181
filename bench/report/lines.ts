/** The JSON lines of the bench beside other engines: one for each case and engine. */

import { median, quartiles } from '../median.ts';
import { round3 } from '../print.ts';
import type { Case, Measured } from '../cases/case.ts';
import type { Ready } from '../contender.ts';

/** How a case went with one engine, as it is printed. */
export type Line = {
  readonly case: string;
  readonly unit: string;
  readonly engine: string;
  readonly version: string;
  readonly label: string;
} & (
  | {
      readonly rounds: number;
      /** In the unit: the median. */
      readonly value: number;
      /** The same with the engine's smallest run of the same round taken off. */
      readonly net?: number;
      readonly ms: number;
      /** From the lower to the upper quartile. */
      readonly middleHalf?: readonly [number, number];
      readonly emptyMs?: number;
      /** The most of all rounds, by name. */
      readonly facts?: Readonly<Record<string, number>>;
    }
  | { readonly cannot: string }
);

/** @param rounds of those that count, at least one */
export function lineOf(
  { name, unit, per }: Pick<Case, 'name' | 'unit' | 'per'>,
  { name: engine, version, label }: Ready,
  rounds: readonly Measured[],
): Line {
  const times = rounds.map(({ ms }) => ms);
  const empties = rounds.flatMap(({ emptyMs }) => emptyMs ?? []);
  const [low, high] = quartiles(times);
  const nets = rounds.flatMap(({ ms, emptyMs }) => (emptyMs === undefined ? [] : ms - emptyMs));
  const facts: Record<string, number> = {};
  for (const [fact, value] of rounds.flatMap((one) => Object.entries(one.facts ?? {}))) {
    facts[fact] = Math.max(value, facts[fact] ?? value);
  }
  return {
    ...{ case: name, unit, engine, version, label, rounds: rounds.length },
    value: round3(median(times) / per),
    ...(nets.length > 0 && { net: round3(median(nets) / per) }),
    ms: round3(median(times)),
    middleHalf: [round3(low), round3(high)],
    ...(empties.length > 0 && { emptyMs: round3(median(empties)) }),
    ...(Object.keys(facts).length > 0 && { facts }),
  };
}

/**
 * The lines in what the bench printed, which may have other lines between: of the same case and engine the last one.
 * @throws Error where there is none
 */
export function readLines(text: string): readonly Line[] {
  const lines = new Map<string, Line>();
  for (const json of text.split('\n').filter((line) => line.startsWith('{'))) {
    const line = JSON.parse(json) as Partial<Line>;
    if (line.case !== undefined && line.engine !== undefined) lines.set(`${line.case}\n${line.engine}`, line as Line);
  }
  if (lines.size === 0) throw new Error('there is no line of a case; expected the output of npm run bench -- peers');
  return [...lines.values()];
}

/** The cases and engines of lines, each once, in the order of their first line. */
export function axesOf(lines: readonly Line[]): {
  readonly cases: readonly string[];
  readonly engines: readonly string[];
} {
  return {
    cases: [...new Set(lines.map((line) => line.case))],
    engines: [...new Set(lines.map(({ engine }) => engine))],
  };
}

/** @returns the value as it is shown, such as `10.4` or `1,240`, and `-` where the engine cannot. */
export function shown(
  line: Line | undefined,
  value = line !== undefined && 'value' in line ? line.value : undefined,
): string {
  if (value === undefined) return '-';
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
