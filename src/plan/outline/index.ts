/** The door of `outline`: the one way in which a plan is shown, whatever stands behind it and wherever it is shown. Its lines are in `lines`. */

export { MARKS, type Outline, type OutlineEntry, type Standing, type Tint } from './entry.ts';
export { escapeMarkdown, outlineMarkdown } from './markdown.ts';
export { rowsOf, type Row, type RowOptions } from './rows.ts';
export { badgeOf, foldedWords, nameOf, placeName, sumOf, tailOf, valuesText, valueText } from './words.ts';
export type { ShownValue } from './words.ts';
export { walk } from './walk.ts';
