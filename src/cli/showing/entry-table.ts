/** What happened to a run, an entry a line, with the time of each. */

import type { TraceEntry } from '../../wire/contract/index.ts';
import type { Output } from '../terminal/index.ts';
import { clockText, visible, wrap } from '../../language/text/index.ts';

/** An entry of a trace, or what is told beside them, which has no number. */
export type Happened = Pick<TraceEntry, 'at' | 'what' | 'text'> & Partial<Pick<TraceEntry, 'seq'>>;

const GAP = '  ';

/**
 * The date stands where it is another one than that of the line before; what an entry says is wrapped below itself. With `isNumbered` its
 * number comes first, from which a trace can be read on.
 */
export function entryTable(
  entries: readonly Happened[],
  { columns }: Pick<Output, 'columns'>,
  isNumbered = false,
): string {
  let before: string | undefined;
  const rows = entries.map(({ seq, at, what, text }) => {
    const time = clockText(at, before);
    before = at;
    return { number: isNumbered && seq !== undefined ? `${seq}${GAP}` : '', time, what, text };
  });
  const [times, kinds] = [rows.map(({ time }) => time.length), rows.map(({ what }) => what.length)];
  const [timeWidth, whatWidth] = [Math.max(0, ...times), Math.max(0, ...kinds)];
  const numberWidth = Math.max(0, ...rows.map(({ number }) => number.length));
  const room = columns - numberWidth - timeWidth - whatWidth - 2 * GAP.length;
  return rows
    .flatMap(({ number, time, what, text }) => {
      const head = `${number.padStart(numberWidth)}${time.padStart(timeWidth)}${GAP}${what.padEnd(whatWidth)}${GAP}`;
      return wrap(visible(text), room).map((line, at) =>
        `${at === 0 ? head : ' '.repeat(head.length)}${line}`.trimEnd(),
      );
    })
    .join('\n');
}
