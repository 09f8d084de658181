/** The door of `lines`: text laid out for a terminal, by the columns that its characters fill. The workflow bundle has none of it. */

export { columnsOf, cutColumns, padColumns } from './columns.ts';
export { outlineLines, rowLines } from './outline.ts';
export { table } from './table.ts';
export { wrap, wrapMessage, wrapNote } from './wrap.ts';
