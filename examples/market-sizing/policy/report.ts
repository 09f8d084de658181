/** The report at the end: a memo, every number with where it is from, and the same as CSV. */

import type { JsonValue } from 'planwright';
import { fieldOf, partsOf, REGION } from './fields.ts';
import { unitOf } from './recipe.ts';
import type { Source, State } from './state.ts';

export interface ReportedNumber {
  readonly field: string;
  readonly title: string;
  readonly value: string;
  readonly unit: string;
  /** The kind of the source: `page`, `person`, `calculation`. */
  readonly from: Source['is'];
  readonly place: string;
}

/** `{ outcome, memo, numbers, csv }`; the size is the last of the numbers. */
export function writeReport(state: State, reasoning: string, outcome: 'done' | 'aborted'): JsonValue {
  const numbers = numbersOf(state);
  const report = { outcome, memo: memoOf(state, numbers, reasoning), numbers, csv: csvOf(numbers) };
  return report as unknown as JsonValue;
}

export function numbersOf(state: State): readonly ReportedNumber[] {
  const { target, fields } = state.schema;
  const order = [...Object.keys(fields).filter((name) => name !== target), target];
  return order.flatMap((name) => {
    const { title = name, value, source } = fieldOf(state, name) ?? {};
    if (value === undefined || source === undefined) return [];
    return [{ field: name, title, value, unit: unitOf(state, name) ?? '', from: source.is, place: placeOf(source) }];
  });
}

function placeOf(source: Source): string {
  switch (source.is) {
    case 'page':
      return source.id;
    case 'person':
      return 'asked in this run';
    case 'calculation':
      return source.expression;
  }
}

function memoOf(state: State, numbers: readonly ReportedNumber[], reasoning: string): string {
  const { target } = state.schema;
  const { title = target, value } = fieldOf(state, target) ?? {};
  const region = fieldOf(state, REGION)?.value ?? 'a region that nobody has named';
  const size = value === undefined ? 'not known' : `${value} ${unitOf(state, target) ?? ''}`.trim();
  const made = partsOf(state, target).filter((name) => name !== target);
  const missing = made.filter(
    (name) => fieldOf(state, name)?.value === undefined && fieldOf(state, name)?.composed === undefined,
  );
  const lines = numbers.map(
    (one, at) =>
      `[${at + 1}] ${one.title}: ${one.value}${one.unit === '' ? '' : ` ${one.unit}`} (${one.from}: ${one.place})`,
  );
  const disputed = state.tasks.map(({ field, why }) => `- ${field}: ${why}`);
  return [
    `${title}, ${region}: ${size}`,
    '',
    ...lines,
    ...(missing.length === 0 ? [] : ['', `Missing: ${missing.join(', ')}.`]),
    ...(disputed.length === 0 ? [] : ['', 'Not settled:', ...disputed]),
    '',
    reasoning,
  ].join('\n');
}

const COLUMNS = ['field', 'title', 'value', 'unit', 'from', 'place'] as const;

/** A cell with a comma, a quote or a line break stands in quotes. */
export function csvOf(numbers: readonly ReportedNumber[]): string {
  const rows = numbers.map((number) => COLUMNS.map((column) => cell(number[column])).join(','));
  return `${[COLUMNS.join(','), ...rows].join('\r\n')}\r\n`;
}

/** A cell that begins like a formula would be one in a spreadsheet. */
function cell(text: string): string {
  const plain = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
