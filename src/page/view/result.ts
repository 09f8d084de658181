/** A result as a table, a text or JSON, with what it can be taken away as. */

import { counted, grouped } from '../../language/text/index.ts';
import type { OutputOf } from '../../operations/index.ts';
import type { RecordJson } from '../../wire/results/index.ts';
import { html, type Html, type Piece } from '../markup.ts';
import { runPath } from '../paths.ts';
import { tableOf } from './lists.ts';

/** Records that a page shows, and characters of a text or a value. */
const SHOWN = { records: 200, characters: 100_000 };
/** The forms that a result is taken away in. */
export const FORMATS = { set: ['bed', 'gff3', 'tsv', 'ids', 'json'], value: ['json'], text: ['txt'] } as const;
export type Format = (typeof FORMATS)[keyof typeof FORMATS][number];

interface ResultShown {
  readonly workflowId: string;
  readonly node: string | undefined;
  readonly result: OutputOf<'result'>;
  /** Of a set: the place of the first record that is shown. */
  readonly from: number;
}

export function resultPage({ workflowId, node, result, from }: ResultShown): Html {
  const query = node === undefined ? '' : `?node=${encodeURIComponent(node)}`;
  const links = FORMATS[result.kind].map(
    (format) => html`<a href="${runPath(workflowId, `result.${format}`)}${query}">${format.toUpperCase()}</a> `,
  );
  return html`<h1>
      Result of ${node !== undefined && `${node} of `}<a href="${runPath(workflowId)}">${workflowId}</a>
    </h1>
    <p class="downloads">Take it as ${links}</p>
    ${contents()}`;

  function contents(): Piece {
    if ('records' in result)
      return setTable(
        result.records,
        from,
        (start) => `${runPath(workflowId, 'result')}${query}${query === '' ? '?' : '&'}from=${start}`,
      );
    const text = 'text' in result ? result.text : JSON.stringify('value' in result ? result.value : undefined, null, 2);
    const isCut = text.length > SHOWN.characters;
    return html`<pre class="value">${text.slice(0, SHOWN.characters)}</pre>
      ${isCut && html`<p>cut here; the whole has ${grouped(text.length)} characters</p>`}`;
  }
}

function setTable(records: readonly RecordJson[], from: number, to: (start: number) => string): Piece {
  const shown = records.slice(from, from + SHOWN.records);
  const isLocated = records.some(({ sequence }) => sequence !== undefined);
  const hasMatches = records.some(({ matches }) => matches !== undefined);
  const heads = [
    'Id',
    ...(isLocated ? ['Sequence', 'Start', 'Stop', 'Strand'] : []),
    ...(hasMatches ? ['Matches'] : []),
  ];
  const rows = shown.map(
    ({ id, sequence = '', start, stop, strand = '', matches }) =>
      html`<tr>
        <td>${id}</td>
        ${
          isLocated &&
          html`<td>${sequence}</td>
            <td class="n">${number(start)}</td>
            <td class="n">${number(stop)}</td>
            <td>${strand}</td>`
        }${hasMatches && html`<td class="n">${number(matches)}</td>`}
      </tr>`,
  );
  const end = from + shown.length;
  const pages = html`<p class="pages">
    ${counted(records.length, 'record')}${(from > 0 || end < records.length) && `, ${grouped(from + 1)} to ${grouped(end)}`}
    ${from > 0 && html`<a href="${to(Math.max(0, from - SHOWN.records))}">those before</a> `}${end < records.length && html`<a href="${to(end)}">those after</a>`}
  </p>`;
  return [pages, shown.length > 0 && tableOf(heads, rows)];
}

function number(value: number | undefined): string {
  return value === undefined ? '' : grouped(value);
}
