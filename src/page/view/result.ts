/** A result as a table, text or JSON, with links to its files. */

import { counted, cutCharacters, grouped } from '../../plan/text/index.ts';
import type { OutputOf } from '../../operations/index.ts';
import { amountOf } from '../../protocol/index.ts';
import type { RecordJson, ResultHandle } from '../../store/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import { resultPath, runPath, type ResultPart } from '../paths.ts';
import { pager, tableOf } from './layout.ts';

/** Records per page, and characters of a text or value. */
const SHOWN = { records: 200, characters: 100_000 };
/** File formats of a result. One that is too large to parse here is offered as stored. */
const FORMATS = {
  set: ['bed', 'gff3', 'tsv', 'ids', 'json'],
  value: ['json'],
  text: ['txt'],
  large: ['stored'],
} as const;
export type FileFormat = (typeof FORMATS)[keyof typeof FORMATS][number];

/**
 * Spreadsheets execute cells that begin like formulas, so these get an apostrophe. Numbers and strands stay.
 * @example forSpreadsheet('=A1\t-5\t+\n'); // "'=A1\t-5\t+\n"
 */
export function forSpreadsheet(table: string): string {
  return table.replace(/(?<=^|\t)(?! *[+-]?[\d.]*(?:\t|$)) *[=@+\-＝＠＋－]/gm, "'$&");
}

/** A result that is not read here, and why; a context value has only bytes. */
export interface Large extends Pick<ResultHandle, 'ref' | 'bytes'>, Partial<Pick<ResultHandle, 'kind' | 'count'>> {
  readonly message: string;
}

interface ResultView {
  readonly workflowId: string;
  readonly part: ResultPart;
  readonly result: OutputOf<'result'> | Large;
  /** For a set: the first record shown. */
  readonly from: number;
  /** The sort column; `-` in front sorts descending. */
  readonly sort?: string | undefined;
}

export function resultPage(view: ResultView): Html {
  const { workflowId, part, result } = view;
  const what = part.context === undefined ? 'Result' : `Context ${part.context}`;
  const isLarge = 'bytes' in result;
  const links = FORMATS[isLarge ? 'large' : result.kind].map(
    (format) =>
      html`<a href="${resultPath(workflowId, part, format)}">${isLarge ? 'JSON, as it is stored' : format.toUpperCase()}</a> `,
  );
  return html`<h1>${what} of ${part.node !== undefined && `${part.node} of `}<a href="${runPath(workflowId)}">${workflowId}</a></h1>
    <p class="downloads">Take it as ${links}</p>
    ${isLarge ? largeOne(result) : 'records' in result ? setTable(result.records, view) : textOf('text' in result ? result.text : JSON.stringify(result.value, null, 2))}`;
}

function largeOne({ kind, count, message }: Large): HtmlPiece {
  const amount = kind !== undefined && count !== undefined && html`<p>${amountOf({ kind, count })}</p>`;
  return html`${amount}<p class="warning lines">It is not shown: ${message}, or take the whole as it is stored.</p>`;
}

function textOf(text: string): HtmlPiece {
  const more =
    text.length > SHOWN.characters && html`<p>cut here; the whole has ${grouped(text.length)} characters</p>`;
  return html`<pre>${cutCharacters(text, SHOWN.characters)}</pre>${more}`;
}

const COLUMNS = [
  ['Id', 'id'],
  ['Sequence', 'sequence'],
  ['Start', 'start'],
  ['Stop', 'stop'],
  ['Strand', 'strand'],
  ['Matches', 'matches'],
] as const;

function setTable(records: readonly RecordJson[], { workflowId, part, from, sort = '' }: ResultView): HtmlPiece {
  const columns = COLUMNS.filter(([, name]) => name === 'id' || records.some((one) => one[name] !== undefined));
  const [isDown, by] = [sort.startsWith('-'), columns.find(([, name]) => name === sort.replace('-', ''))?.[1]];
  const order = by === undefined ? records : records.toSorted((a, b) => compare(a[by], b[by]));
  const sorted = isDown && by !== undefined ? order.toReversed() : order;
  const page = sorted.slice(from, from + SHOWN.records);
  const path = resultPath(workflowId, part);
  const address = (start: number, column: string) =>
    `${path}${path.includes('?') ? '&' : '?'}from=${start}&sort=${column}`;
  const heads = columns.map(
    ([word, name]) => html` <a href="${address(0, name === sort ? `-${name}` : name)}">${word}</a>`,
  );
  const rows = page.map((one) => columns.map(([, name]) => one[name]));
  const range = page.length < records.length && `, ${grouped(from + 1)} to ${grouped(from + page.length)}`;
  const pages = pager(from, SHOWN.records, records.length, (start) => address(start, by === undefined ? '' : sort));
  return [
    html`<p>${counted(records.length, 'record')}${range}${pages}</p>`,
    page.length > 0 && tableOf(heads, rows, 'Records'),
  ];
}

type Cell = string | number | undefined;

function compare(one: Cell, other: Cell): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : `${one ?? ''}`.localeCompare(`${other ?? ''}`);
}
