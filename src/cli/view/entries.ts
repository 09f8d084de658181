/** Trace entries as lines, and rounds of a loop as a table. */

import { table } from '../../plan/lines/index.ts';
import { escapeText } from '../../plan/rendering/index.ts';
import { clockText } from '../../plan/text/index.ts';
import type { RoundRecord, TraceEntry } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';

/** An entry of a trace, or a remark without a number. */
export type TraceLine = Pick<TraceEntry, 'at' | 'what' | 'text'> & Partial<Pick<TraceEntry, 'seq'>>;

/**
 * Prints the date when it changes; long entries are wrapped under themselves. `isNumbered` puts the number first, for
 * `--after`.
 */
export function entryTable(
  entries: readonly TraceLine[],
  { columns }: Pick<Output, 'columns'>,
  isNumbered = false,
): string {
  let before: string | undefined;
  const rows = entries.map(({ seq, at, what, text }) => {
    const time = clockText(at, before);
    before = at;
    return [...(isNumbered ? [`${seq ?? ''}`] : []), time, what, text];
  });
  return table(rows, { columns, right: isNumbered ? [0, 1] : [0] });
}

/** As a Markdown table. */
export function roundTable(rounds: readonly RoundRecord[]): string {
  const rows = rounds.map(({ round, origin = '', decider = '', line, visits = [] }) => {
    const fired = visits.filter(({ did }) => did === 'decided' || did === 'rewrote').map(({ stage }) => stage);
    return `| ${round} | ${escapeText(`${origin} ${decider}`.trim())} | ${escapeText(fired.join(', '))} | ${escapeText(line)} |`;
  });
  return ['| round | who decided | stages that fired | dispatched |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
