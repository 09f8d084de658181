import { visible } from '../text/index.ts';
import { columnsOf, padColumns } from './columns.ts';
import { wrap } from './wrap.ts';

interface TableOptions {
  /** The limit on the columns of a line. Default: no limit. */
  readonly columns?: number;
  readonly right?: readonly number[];
  readonly gap?: number;
  readonly indent?: string;
}

/** The smallest width of the last cell, in columns. If less room remains, the cell goes below its row. */
const MIN_COLUMN = 20;
const BELOW = 4;

/** Lays out a table. The last cell wraps, or goes below its row if little room remains. Escapes hidden characters. */
export function table(
  rows: readonly (readonly string[])[],
  { columns = Infinity, right = [], gap = 2, indent = '' }: TableOptions = {},
): string {
  const heads = rows.map((row) => row.slice(0, -1).map((cell) => visible(cell)));
  const widths: number[] = [];
  for (const head of heads) head.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, columnsOf(cell))));
  const wide = indent.length + widths.reduce((sum, width) => sum + width + gap, 0);
  const left = columns - wide;
  const isTooWide = (last = '') => columnsOf(visible(last)) > left;
  const isBelow = widths.length > 0 && left < MIN_COLUMN && rows.some((row) => isTooWide(row.at(-1)));
  return rows
    .flatMap((row, place) => {
      const last = row.at(-1) ?? '';
      const cells = heads[place]!.map((cell, at) => padColumns(cell, widths[at]!, right.includes(at)));
      const head = indent + cells.map((cell) => cell + ' '.repeat(gap)).join('');
      if (isBelow) {
        const beside = wide - gap <= columns ? [] : cells.splice(1).flatMap((cell) => cell.trim() || []);
        const [under, between] = [' '.repeat(indent.length + BELOW), ' '.repeat(gap)];
        const below = wrap([...beside, last].join(between), columns - under.length).map((line) => under + line);
        return [indent + cells.join(between), ...below].map((line) => line.trimEnd());
      }
      return wrap(last, Math.max(MIN_COLUMN, left)).map((line, at) =>
        `${at === 0 ? head : ' '.repeat(wide)}${line}`.trimEnd(),
      );
    })
    .join('\n');
}
