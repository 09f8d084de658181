/** The door of `outline`: the one way in which a plan is shown, whatever stands behind it and wherever it is shown. */

export { MARKS, type Outline, type OutlineEntry, type Standing, type Tint } from './entry.ts';
export { outlineLines, rowLines } from './lines.ts';
export { escapeMarkdown, outlineMarkdown } from './markdown.ts';
export { nameOf, placeName, sumOf } from './words.ts';
export { walk } from './walk.ts';
