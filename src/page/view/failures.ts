/** Failures together: equal ones are one row with a count, the first cause on top. */

import { counted, cutCharacters } from '../../plan/text/index.ts';
import { tellingOf } from '../../operations/words/index.ts';
import { html, type Piece } from '../markup.ts';
import type { Seen } from '../watch.ts';
import { gather } from './fold.ts';
import { andMore, listOf, nodeLink } from './layout.ts';

/**
 * Kinds of failures that are shown, nodes that each names, and characters of one.
 * @bound .kinds kinds of failures
 * @beyond counted
 * @bound .nodes nodes that a kind of failures names
 * @beyond counted
 * @bound .characters {characters} a failure
 * @beyond cut; the page of the node has the whole
 */
const SHOWN = { kinds: 20, nodes: 3, characters: 600 };

/** The same for texts that differ in ids and numbers alone. */
export function likeness(text: string): string {
  return text.replaceAll(/\d+/g, '0');
}

export function failuresOf({ workflowId, nodes }: Seen): Piece {
  const failed = nodes.filter(({ status }) => status === 'failed' || status === 'uncertain');
  if (failed.length === 0) return '';
  const inTime = failed.toSorted((a, b) => (a.endedAt ?? '').localeCompare(b.endedAt ?? ''));
  const kinds = gather(inTime, (node) => likeness(tellingOf(node)));
  const rows = kinds.slice(0, SHOWN.kinds).map((all) => {
    const named = all.slice(0, SHOWN.nodes).map((node) => html`${nodeLink(workflowId, node)} `);
    const more = all.length - named.length;
    const told = cutCharacters(tellingOf(all[0]!), SHOWN.characters);
    return html`<b>${all.length} ×</b> <b class="told">${told}</b> <span class="meta">${named}${more > 0 && `and ${more} more`}</span>`;
  });
  const needing = nodes.filter(({ status }) => status === 'skipped').length;
  return html`<h2>${counted(failed.length, 'node')} failed</h2>
    ${listOf(rows, 'facts failed')}
    ${andMore(kinds.length - rows.length, 'kind')}
    ${needing > 0 && html`<p class="dim">${counted(needing, 'node')} did not run, since one of these is needed.</p>`}`;
}
