/** Renders a result as a table, text or JSON, with links to its files. Other pages show only its start. */

import { counted, cutCharacters, grouped } from '../../plan/text/index.ts';
import type { OutputOf } from '../../operations/index.ts';
import { amountOf, isRecord } from '../../protocol/index.ts';
import type { ResultHandle } from '../../store/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import { resultPath, runPath, type ResultPart } from '../paths.ts';
import { pager, tableOf } from './layout.ts';

const SHOWN = { rows: 200, characters: 100_000 };
const START = { rows: 10, lines: 20, characters: 2000 };
/** File formats of a result. A result that is too large to parse here is offered as stored. */
const FORMATS = {
  set: ['bed', 'gff3', 'tsv', 'ids', 'json'],
  value: ['json'],
  rows: ['tsv', 'json'],
  text: ['txt'],
  large: ['stored'],
} as const;
export type FileFormat = (typeof FORMATS)[keyof typeof FORMATS][number];

/**
 * Adds an apostrophe to cells that begin like formulas, since spreadsheets execute formulas. Numbers and strands stay.
 * @example forSpreadsheet('=A1\t-5\t+\n'); // "'=A1\t-5\t+\n"
 */
export function forSpreadsheet(table: string): string {
  return table.replace(/(?<=^|\t)(?! *[+-]?[\d.]*(?:\t|$)) *[=@+\-＝＠＋－]/gm, "'$&");
}

/** A result that is not read here, and why. A context value has only bytes. */
export interface Large extends Pick<ResultHandle, 'ref' | 'bytes'>, Partial<Pick<ResultHandle, 'kind' | 'count'>> {
  readonly message: string;
}

type Content = OutputOf<'result'>;
type Cell = string | number | boolean | null | undefined;
type TableRow = Readonly<Record<string, Cell>>;

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  readonly noun: string;
}

const SET_COLUMNS = ['id', 'sequence', 'start', 'stop', 'strand', 'matches'];
const MAX_COLUMNS = 30;

/** The table of a set, or of a list of flat objects; undefined for any other result. */
function tableIn(content: Content): Table | undefined {
  if ('records' in content) {
    const rows = content.records as unknown as readonly TableRow[];
    const columns = SET_COLUMNS.filter((key) => key === 'id' || rows.some((row) => row[key] !== undefined));
    return { columns, rows, noun: 'record' };
  }
  if (!('value' in content) || !Array.isArray(content.value) || !content.value.every(isFlat)) return undefined;
  const rows: readonly TableRow[] = content.value;
  const keys = new Set<string>();
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key);
  if (keys.size === 0 || keys.size > MAX_COLUMNS) return undefined;
  return { columns: [...keys], rows, noun: 'row' };
}

function isFlat(value: unknown): value is TableRow {
  return isRecord(value) && Object.values(value).every((one) => typeof one !== 'object' || one === null);
}

/** The cell of a row. Only own keys count: keys come from outside, and a row may have no cell `constructor`. */
function cellOf(row: TableRow, key: string): Cell {
  return Object.hasOwn(row, key) ? row[key] : undefined;
}

/** A list of flat objects as TSV, with \t and \n for tabs and line breaks in texts; undefined for another value. */
export function tabSeparated(content: Content): string | undefined {
  const { columns, rows } = tableIn(content) ?? {};
  if (columns === undefined || rows === undefined) return undefined;
  const escaped = (cell: Cell) =>
    String(cell ?? '').replaceAll(/[\\\t\n\r]/g, (one) => JSON.stringify(one).slice(1, -1));
  const lines = rows.map((row) => columns.map((key) => escaped(cellOf(row, key))));
  return [columns.map(escaped), ...lines].map((line) => `${line.join('\t')}\n`).join('');
}

function filesOf(content: Content): readonly FileFormat[] {
  return FORMATS['value' in content && tableIn(content) !== undefined ? 'rows' : content.kind];
}

function fileLinks(workflowId: string, part: ResultPart, content: Content): HtmlPiece {
  return filesOf(content).map(
    (format) => html`<a href="${resultPath(workflowId, part, format)}">${format.toUpperCase()}</a> `,
  );
}

interface StartOfResult {
  readonly workflowId: string;
  readonly part: ResultPart;
  readonly handle: ResultHandle;
  readonly content?: Content | undefined;
}

export function resultStart({ workflowId, part, handle, content }: StartOfResult): Html {
  const [start, left] = content === undefined ? ['', ''] : startOf(content, resultPath(workflowId, part));
  const word = left === '' ? amountOf(handle) : 'all of it';
  const files =
    content !== undefined && html`<span class="downloads">as ${fileLinks(workflowId, part, content)}</span>`;
  return html`${start}<p class="result meta">${left} <a href="${resultPath(workflowId, part)}">${word}</a> ${files}</p>`;
}

/** The start of a result. @returns the start, and a text about the missing rest ('' if nothing is missing) */
function startOf(content: Content, path: string): readonly [start: HtmlPiece, left: string] {
  const table = tableIn(content);
  if (table !== undefined) {
    const { rows, noun } = table;
    const left = rows.length - START.rows;
    return [tableHtml(table, rows.slice(0, START.rows), path), left > 0 ? `and ${counted(left, `more ${noun}`)}:` : ''];
  }
  const prose = 'text' in content ? content.text : 'value' in content && content.value;
  if (typeof prose === 'string') {
    const left = prose.length - START.characters;
    const text = html`<p class="answer">${cutCharacters(prose, START.characters)}</p>`;
    return [text, left > 0 ? `and ${counted(left, 'more character')}:` : ''];
  }
  const lines = textOf(content).split('\n');
  const first = lines.slice(0, START.lines).map((line) => cutCharacters(line, START.characters));
  const left = lines.length - first.length;
  const isCut = first.some((line, at) => line !== lines[at]);
  const more = left > 0 ? `and ${counted(left, 'more line')}:` : isCut ? 'long lines are cut:' : '';
  return [html`<pre>${first.join('\n')}</pre>`, more];
}

function textOf(content: Content): string {
  return 'text' in content ? content.text : JSON.stringify('value' in content ? content.value : content, null, 2);
}

interface ResultView {
  readonly workflowId: string;
  readonly part: ResultPart;
  readonly result: Content | Large;
  /** For a table: the index of its first row on the page. */
  readonly from: number;
  /** The column to sort by, in descending order if it begins with `-`. */
  readonly sort?: string | undefined;
}

export function resultPage(view: ResultView): Html {
  const { workflowId, part, result } = view;
  const what = part.context === undefined ? 'Result' : `Context ${part.context}`;
  const isLarge = 'bytes' in result;
  const links = isLarge
    ? html`<a href="${resultPath(workflowId, part, 'stored')}">JSON, as it is stored</a>`
    : fileLinks(workflowId, part, result);
  const table = isLarge ? undefined : tableIn(result);
  return html`<h1>${what} of ${part.node !== undefined && `${part.node} of `}<a href="${runPath(workflowId)}">${workflowId}</a></h1>
    <p class="downloads">Take it as ${links}</p>
    ${isLarge ? largeOne(result) : table === undefined ? wholeText(textOf(result)) : wholeTable(table, view)}`;
}

function largeOne({ kind, count, message }: Large): HtmlPiece {
  const amount = kind !== undefined && count !== undefined && html`<p>${amountOf({ kind, count })}</p>`;
  return html`${amount}<p class="warning lines">It is not shown: ${message}, or take the whole as it is stored.</p>`;
}

function wholeText(text: string): HtmlPiece {
  const more =
    text.length > SHOWN.characters && html`<p>cut here; the whole has ${grouped(text.length)} characters</p>`;
  return html`<pre>${cutCharacters(text, SHOWN.characters)}</pre>${more}`;
}

function wholeTable(table: Table, { workflowId, part, from, sort = '' }: ResultView): HtmlPiece {
  const { rows, columns, noun } = table;
  const byKey = (wanted: string) => columns.find((key) => key === wanted);
  const isDown = byKey(sort) === undefined && sort.startsWith('-');
  const by = byKey(isDown ? sort.slice(1) : sort);
  const order = by === undefined ? rows : rows.toSorted((a, b) => compare(cellOf(a, by), cellOf(b, by)));
  const page = (isDown && by !== undefined ? order.toReversed() : order).slice(from, from + SHOWN.rows);
  const path = resultPath(workflowId, part);
  const range = page.length < rows.length && `, ${grouped(from + 1)} to ${grouped(from + page.length)}`;
  const address = (start: number) => sortedPath(path, by === undefined ? '' : sort, start);
  const pages = pager(from, SHOWN.rows, rows.length, address);
  return [
    html`<p>${counted(rows.length, noun)}${range}${pages}</p>`,
    page.length > 0 && tableHtml(table, page, path, sort),
  ];
}

function sortedPath(path: string, column: string, from = 0): string {
  return `${path}${path.includes('?') ? '&' : '?'}from=${from}&sort=${encodeURIComponent(column.toWellFormed())}`;
}

function tableHtml({ columns }: Table, rows: readonly TableRow[], path: string, sort?: string): Html {
  const heads = columns.map((key) => html` <a href="${sortedPath(path, key === sort ? `-${key}` : key)}">${key}</a>`);
  const shown = (cell: Cell) => (typeof cell === 'number' ? cell : cell === undefined ? '' : String(cell));
  const lines = rows.map((row) => columns.map((key) => shown(cellOf(row, key))));
  return tableOf(heads, lines, 'Rows');
}

function compare(one: Cell, other: Cell): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : `${one ?? ''}`.localeCompare(`${other ?? ''}`);
}
