/** A result as a table, a text or JSON, with what it can be taken away as. */

import { counted, cutCharacters, grouped } from '../../plan/text/index.ts';
import type { OutputOf } from '../../operations/index.ts';
import type { RecordJson } from '../../store/index.ts';
import { html, type Html, type Piece } from '../markup.ts';
import { resultPath, runPath, type Part } from '../paths.ts';
import { tableOf } from './layout.ts';

/**
 * Records that a page shows, and characters of a text or a value.
 * @bound .records records on a page
 * @beyond the next page
 * @bound .characters {characters} a text on a page
 * @beyond cut, and told; the file has the whole
 */
const SHOWN = { records: 200, characters: 100_000 };
/** The forms that a result is taken away in. */
export const FORMATS = { set: ['bed', 'gff3', 'tsv', 'ids', 'json'], value: ['json'], text: ['txt'] } as const;
export type Format = (typeof FORMATS)[keyof typeof FORMATS][number];

interface ResultShown {
  readonly workflowId: string;
  readonly part: Part;
  readonly result: OutputOf<'result'>;
  /** Of a set: the place of the first record that is shown. */
  readonly from: number;
  /** The column by which it is sorted, with `-` before it from its end. */
  readonly sort?: string | undefined;
}

export function resultPage(shown: ResultShown): Html {
  const { workflowId, part, result } = shown;
  const what = part.context === undefined ? 'Result' : `Context ${part.context}`;
  const links = FORMATS[result.kind].map(
    (format) => html`<a href="${resultPath(workflowId, part, format)}">${format.toUpperCase()}</a> `,
  );
  return html`<h1>${what} of ${part.node !== undefined && `${part.node} of `}<a href="${runPath(workflowId)}">${workflowId}</a></h1>
    <p class="downloads">Take it as ${links}</p>
    ${'records' in result ? setTable(result.records, shown) : textOf('text' in result ? result.text : JSON.stringify(result.value, null, 2))}`;
}

function textOf(text: string): Piece {
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

/** @see ResultShown.sort */
function setTable(records: readonly RecordJson[], { workflowId, part, from, sort = '' }: ResultShown): Piece {
  const columns = COLUMNS.filter(([, name]) => name === 'id' || records.some((one) => one[name] !== undefined));
  const [isDown, by] = [sort.startsWith('-'), columns.find(([, name]) => name === sort.replace('-', ''))?.[1]];
  const order = by === undefined ? records : records.toSorted((a, b) => compare(a[by], b[by]));
  const sorted = isDown && by !== undefined ? order.toReversed() : order;
  const shown = sorted.slice(from, from + SHOWN.records);
  const path = resultPath(workflowId, part);
  const to = (start: number, column: string, word: string) =>
    html` <a href="${path}${path.includes('?') ? '&' : '?'}from=${start}&sort=${column}">${word}</a>`;
  const heads = columns.map(([word, name]) => to(0, name === sort ? `-${name}` : name, word));
  const rows = shown.map((one) => html`<tr>${columns.map(([, name]) => cell(one[name]))}</tr>`);
  const end = from + shown.length;
  const range = shown.length < records.length && `, ${grouped(from + 1)} to ${grouped(end)}`;
  const kept = by === undefined ? '' : sort;
  return [
    html`<p>${counted(records.length, 'record')}${range}${from > 0 && to(Math.max(0, from - SHOWN.records), kept, 'those before')}${
      end < records.length && to(end, kept, 'those after')
    }</p>`,
    shown.length > 0 && tableOf(heads, rows, 'Records'),
  ];
}

type Cell = string | number | undefined;

function compare(one: Cell, other: Cell): number {
  return typeof one === 'number' && typeof other === 'number'
    ? one - other
    : `${one ?? ''}`.localeCompare(`${other ?? ''}`);
}

function cell(value: Cell): Html {
  return typeof value === 'number' ? html`<td class="n">${grouped(value)}</td>` : html`<td>${value ?? ''}</td>`;
}
