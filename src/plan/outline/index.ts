/** The one way to show a plan, whatever it comes from. `lines` draws it. */

export { MARKS, type Outline, type OutlineEntry, type Standing, type Tint } from './entry.ts';
export { escapeMarkdown, outlineMarkdown, rowsOf, type Row, type RowOptions, treePlaces } from './rows.ts';
export { badgeOf, foldedWords, nodeName, nodeLabel, sumOf, tailOf, valuesText, valueText } from './words.ts';
export type { ShownValue } from './words.ts';
