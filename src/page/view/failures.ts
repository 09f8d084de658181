/** Failures together: equal ones are one row with a count, the first cause on top. */

import { placeName } from '../../plan/outline/index.ts';
import { counted, cutCharacters } from '../../plan/text/index.ts';
import { tellingOf } from '../../operations/words/index.ts';
import { given, type SeenNode } from '../../protocol/index.ts';
import { html, type Piece } from '../markup.ts';
import { nodePath } from '../paths.ts';
import type { Seen } from '../watch.ts';
import { listOf } from './layout.ts';

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
  const kinds = new Map<string, SeenNode[]>();
  for (const node of failed.toSorted((a, b) => (a.endedAt ?? '').localeCompare(b.endedAt ?? ''))) {
    const key = likeness(tellingOf(node));
    const kind = kinds.get(key);
    if (kind === undefined) kinds.set(key, [node]);
    else kind.push(node);
  }
  const shown = [...kinds.values()].slice(0, SHOWN.kinds);
  const rows = shown.map((all) => {
    const named = all
      .slice(0, SHOWN.nodes)
      .map(({ id, key }) => html`<a href="${nodePath(workflowId, id)}">${placeName(given({ id, key }))}</a> `);
    const more = all.length - named.length;
    const told = cutCharacters(tellingOf(all[0]!), SHOWN.characters);
    return html`<b>${all.length} ×</b> <b class="told">${told}</b> <span class="meta">${named}${more > 0 && `and ${more} more`}</span>`;
  });
  const needing = nodes.filter(({ status }) => status === 'skipped').length;
  const more = kinds.size - shown.length;
  return html`<h2>${counted(failed.length, 'node')} failed</h2>
    ${listOf(rows, 'facts failed')}
    ${more > 0 && html`<p>and ${counted(more, 'more kind')} of failures</p>`}
    ${needing > 0 && html`<p class="dim">${counted(needing, 'node')} did not run, since one of these is needed.</p>`}`;
}
