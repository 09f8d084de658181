import { counted, grouped } from '../../plan/text/index.ts';
import type { OutputOf } from '../../operations/index.ts';
import { effectLines, NOT_HAPPENED } from '../../operations/words/index.ts';
import { given, type TraceEntry } from '../../protocol/index.ts';
import { exact, html, type Html } from '../markup.ts';
import { runPath } from '../paths.ts';
import { entryOf, type PlanOnPage } from './fold.ts';
import { button, commentField, folded, form, pager, roleField, tableOf, timeOf } from './layout.ts';
import { groupWith, nodeRow } from './outline.ts';
import { effectItems } from './waits.ts';
import { effectWord } from './words.ts';

const NODES = 200;

interface NodesView extends PlanOnPage {
  readonly workflowId: string;
  readonly search: string;
  readonly from: string | undefined;
  readonly like?: string | undefined;
}

export function nodesPage({ workflowId, nodes, plan, search, from, like }: NodesView): Html {
  const group = like === undefined ? undefined : groupWith({ nodes, plan }, like);
  const wanted = search.trim().toLowerCase();
  const found = nodes.filter(({ id, key = '', summary, status, effect = 'read', executor }) => {
    const texts = [id, key, summary, status, effect, effectWord(effect), executor];
    return group?.has(id) !== false && texts.some((text) => text.toLowerCase().includes(wanted));
  });
  const start = Math.max(0, found.map(({ id }) => id).indexOf(from ?? ''));
  const page = found.slice(start, start + NODES);
  const rows = page.map((node) => nodeRow({ workflowId, entry: { ...entryOf(node), node } }));
  const address = (at: number) =>
    `${runPath(workflowId, 'nodes')}?${new URLSearchParams({ q: search, ...given({ like }), from: found[at]?.id ?? '' }).toString()}`;
  return html`<h1>Nodes of <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    <form method="get">
      <label>Find <input name="q" value="${exact(search)}" placeholder="id, key, title, failed, once only"></label>
      <button>Find</button>
    </form>
    <p>${grouped(found.length)} of ${counted(nodes.length, 'node')}${found.length > NODES && `, from the ${grouped(start + 1)}. on`}</p>
    <ol class="outline">${rows}</ol>
    <p>${pager(start, NODES, found.length, address)}</p>`;
}

export function tracePage(workflowId: string, entries: readonly TraceEntry[], dropped: number, next?: number): Html {
  return html`<h1>What happened to <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    ${traceTable(entries)}
    ${dropped > 0 && html`<p class="dim">${grouped(dropped)} more were not kept by the run.</p>`}
    ${next !== undefined && html`<p><a href="${runPath(workflowId, 'trace')}?after=${next}">those after</a></p>`}`;
}

export function traceTable(entries: readonly TraceEntry[]): Html {
  const rows = entries.map(({ seq, at, what, text, said }, place) => {
    const isSigned = said !== undefined && 'verified' in said && (said.verified ? ' (verified)' : ' (unverified)');
    return [`${seq}`, timeOf(at, entries[place - 1]?.at), what, [text, isSigned]];
  });
  return tableOf(['No.', 'Time', 'Kind', 'Event'], rows, 'What happened', 'events');
}

/** Maximum characters of the page with all effects, which shows each value completely. */
const MAX_EFFECTS = 2_000_000;

/** Effects that wait for no approval lack these. */
const NONE = { effectCount: undefined, shown: undefined, reason: undefined };

export function effectsPage(all: OutputOf<'effects'>, roles: readonly string[] | undefined): Html {
  const { workflowId, digest, effects, effectCount, shown, command, reason = false } = { ...NONE, ...all };
  const isLong = effectLines({ effects }).join('').length > MAX_EFFECTS;
  const hidden = { run: workflowId, digest, allSeen: String(effectCount), ...given({ shown }) };
  const why = commentField(reason ? NOT_HAPPENED : 'Comment', reason);
  const word = button(`Approve all ${grouped(effects.length)}`, 'approve', 'main');
  const list = html`${effectItems(effects, 'effects whole')}
    ${effectCount !== undefined && form(hidden, html`${roleField(roles)}${why}${word}`)}
    ${folded('By command', html`<pre><code>${command}</code></pre>`)}`;
  return html`<h1>All that would happen</h1>
    <p><a href="${runPath(workflowId)}">${workflowId}</a>: ${counted(effects.length, 'effect')} of plan ${digest.slice(0, 8)}.</p>
    ${isLong ? html`<p>They are too long for a page; <code>planwright effects</code> shows them.</p>` : list}`;
}
