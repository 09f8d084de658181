/** Rows in columns, for everything that commands tell in rows. */

import { visible, wrap } from '../../language/text/index.ts';

interface ColumnOptions {
  /** Columns of the terminal that a line may fill. Default: as many as it takes. */
  readonly columns?: number;
  /** The places of the cells, from 0 on, that stand at the right of their column. */
  readonly right?: readonly number[];
  /** Spaces between two columns. Default 2. */
  readonly gap?: number;
  /** Before each line. */
  readonly indent?: string;
}

/** The last column is as wide as this in the narrowest terminal. */
const LEAST = 20;

/**
 * The last cell of a row keeps its line breaks, and is wrapped below itself. Hidden characters of all cells are escaped.
 * @example inColumns([['ok', 'node: 20.19'], ['warn', 'hop: slow']]); // 'ok    node: 20.19\nwarn  hop: slow'
 */
export function inColumns(
  rows: readonly (readonly string[])[],
  { columns = Infinity, right = [], gap = 2, indent = '' }: ColumnOptions = {},
): string {
  const heads = rows.map((row) => row.slice(0, -1).map((cell) => visible(cell)));
  const widths: number[] = [];
  for (const head of heads) head.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, cell.length)));
  const filled = (cell: string, at: number) =>
    right.includes(at) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!);
  return rows
    .flatMap((row, place) => {
      const head = indent + heads[place]!.map((cell, at) => filled(cell, at) + ' '.repeat(gap)).join('');
      const lines = visible(row.at(-1) ?? '', { lines: true }).split('\n');
      const room = Math.max(LEAST, columns - head.length);
      return lines
        .flatMap((line) => wrap(line, room))
        .map((line, at) => `${at === 0 ? head : ' '.repeat(head.length)}${line}`.trimEnd());
    })
    .join('\n');
}
