/** Lays out text for a terminal. The workflow bundle must not contain these modules. */

export { columnsOf, cutColumns, padColumns } from './columns.ts';
export { outlineLines, rowLines } from './outline.ts';
export { wrap, wrapMessage, wrapNote, table } from './wrap.ts';
