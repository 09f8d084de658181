/** The outline of a plan, from which all displays are made. src/plan/lines draws it on a terminal. */

export {
  badgeOf,
  foldedWords,
  nodeName,
  nodeLabel,
  sumOf,
  tailOf,
  valuesText,
  valueText,
  type ShownValue,
  MARKS,
  type Outline,
  type OutlineEntry,
  type Standing,
  type Tint,
} from './words.ts';
export { escapeMarkdown, outlineMarkdown, rowsOf, type Row, type RowOptions, treePlaces } from './rows.ts';
