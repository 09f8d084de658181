/** The outline of a plan, the common input of all displays. src/plan/lines draws an outline on a terminal. */

export { MARKS, type Outline, type OutlineEntry, type Standing, type Tint } from './entry.ts';
export { escapeMarkdown, outlineMarkdown, rowsOf, type Row, type RowOptions, treePlaces } from './rows.ts';
export { badgeOf, foldedWords, nodeName, nodeLabel, sumOf, tailOf, valuesText, valueText } from './words.ts';
export type { ShownValue } from './words.ts';
