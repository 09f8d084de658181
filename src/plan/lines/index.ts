/** Text laid out for a terminal. The workflow bundle contains none of it. */

export { columnsOf, cutColumns, padColumns } from './columns.ts';
export { outlineLines, rowLines } from './outline.ts';
export { table } from './table.ts';
export { wrap, wrapMessage, wrapNote } from './wrap.ts';
