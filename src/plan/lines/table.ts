/** Rows in columns, for everything that is told in rows. */

import { visible } from '../text/index.ts';
import { columnsOf, padColumns } from './columns.ts';
import { wrap } from './wrap.ts';

interface TableOptions {
  /** Columns that a line may fill. Default: as many as it takes. */
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
 *
 * @example table([['ok', 'node: 20.19'], ['warn', 'hop: slow']]); // 'ok    node: 20.19\nwarn  hop: slow'
 */
export function table(
  rows: readonly (readonly string[])[],
  { columns = Infinity, right = [], gap = 2, indent = '' }: TableOptions = {},
): string {
  const heads = rows.map((row) => row.slice(0, -1).map((cell) => visible(cell)));
  const widths: number[] = [];
  for (const head of heads) head.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell))));
  return rows
    .flatMap((row, place) => {
      const cells = heads[place]!.map((cell, at) => padColumns(cell, widths[at]!, right.includes(at)));
      const head = indent + cells.map((cell) => cell + ' '.repeat(gap)).join('');
      const wide = columnsOf(head);
      return wrap(row.at(-1) ?? '', Math.max(LEAST, columns - wide)).map((line, at) =>
        `${at === 0 ? head : ' '.repeat(wide)}${line}`.trimEnd(),
      );
    })
    .join('\n');
}
