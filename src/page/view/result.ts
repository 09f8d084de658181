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

function setTable(records: readonly RecordJson[], { workflowId, part, from }: ResultShown): Piece {
  const shown = records.slice(from, from + SHOWN.records);
  const isLocated = records.some(({ sequence }) => sequence !== undefined);
  const hasMatches = records.some(({ matches }) => matches !== undefined);
  const heads = [
    'Id',
    ...(isLocated ? ['Sequence', 'Start', 'Stop', 'Strand'] : []),
    ...(hasMatches ? ['Matches'] : []),
  ];
  const rows = shown.map(({ id, sequence = '', start, stop, strand = '', matches }) => {
    const place = isLocated && html`<td>${sequence}</td>${numberCell(start)}${numberCell(stop)}<td>${strand}</td>`;
    return html`<tr><td>${id}</td>${place}${hasMatches && numberCell(matches)}</tr>`;
  });
  const end = from + shown.length;
  const to = (start: number, word: string) =>
    html` <a href="${resultPath(workflowId, part)}${Object.values(part).every((one) => one === undefined) ? '?' : '&'}from=${start}">${word}</a>`;
  const range = shown.length < records.length && `, ${grouped(from + 1)} to ${grouped(end)}`;
  const before = from > 0 && to(Math.max(0, from - SHOWN.records), 'those before');
  const after = end < records.length && to(end, 'those after');
  return [
    html`<p>${counted(records.length, 'record')}${range}${before}${after}</p>`,
    shown.length > 0 && tableOf(heads, rows, 'Records'),
  ];
}

function numberCell(value: number | undefined): Html {
  return html`<td class="n">${value === undefined ? '' : grouped(value)}</td>`;
}
