/** What happened to a run, an entry a line, with the time of each. */

import type { TraceEntry } from '../../contract/index.ts';
import type { Output } from '../../terminal/index.ts';
import { clockText, visible, wrap } from '../../text/index.ts';

const GAP = '  ';

/** The date stands where it is another one than that of the line before; what an entry says is wrapped below itself. */
export function entryTable(entries: readonly TraceEntry[], { columns }: Pick<Output, 'columns'>): string {
  let before: string | undefined;
  const rows = entries.map(({ at, what, text }) => {
    const time = clockText(at, before);
    before = at;
    return { time, what, text };
  });
  const [times, kinds] = [rows.map(({ time }) => time.length), rows.map(({ what }) => what.length)];
  const [timeWidth, whatWidth] = [Math.max(0, ...times), Math.max(0, ...kinds)];
  const room = columns - timeWidth - whatWidth - 2 * GAP.length;
  return rows
    .flatMap(({ time, what, text }) => {
      const head = `${time.padStart(timeWidth)}${GAP}${what.padEnd(whatWidth)}${GAP}`;
      return wrap(visible(text), room).map((line, at) => `${at === 0 ? head : ' '.repeat(head.length)}${line}`.trimEnd());
    })
    .join('\n');
}
