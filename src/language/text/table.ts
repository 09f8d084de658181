/** Tables for a terminal. */

import { visible } from './visible.ts';

/**
 * Rows as aligned columns; the last column may be as long as it likes. What others wrote cannot break a row, nor rule the
 * terminal it is shown on.
 *
 * @example table([['node_1', 'done'], ['node_12', 'failed']]); // 'node_1   done\nnode_12  failed'
 */
export function table(texts: readonly (readonly string[])[]): string {
  const rows = texts.map((row) => row.map((cell) => visible(cell)));
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
