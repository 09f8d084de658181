/** Lists: the inbox, runs, nodes, rounds, trace entries. */

import { counted, cutCharacters, durationText, grouped, oneLine } from '../../plan/text/index.ts';
import { runStateText, type ListedRun, type OutputOf } from '../../operations/index.ts';
import { effectLines, roundLines, unansweredText } from '../../operations/words/index.ts';
import { given, type AskedEffect, type TraceEntry } from '../../protocol/index.ts';
import type { Waits } from '../inbox.ts';
import { exact, html, type Html, type HtmlPiece } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import { entryOf, type PlanOnPage } from './fold.ts';
import { button, folded, form, pager, roleField, tableOf, timeOf } from './layout.ts';
import { groupWith, nodeRow } from './outline.ts';
import { effectItems, reasonField, TITLES, waitCard, type WaitCard } from './waits.ts';

export function inboxPage(waits: Waits): Html {
  return html`<h1>Inbox</h1>${inboxList(waits)}`;
}

/** The part that changes. */
export function inboxList({ waits, count, missing }: Waits): Html {
  const some = `${counted(count, 'thing')} wait${count === 1 ? 's' : ''} for a person.`;
  return html`<section id="inbox">
    <p>${count === 0 ? 'Nothing waits for a person.' : some}</p>
    ${missing.map((line) => html`<p class="warning lines">${line}</p>`)}
    ${waits.map((wait, at) => html`<article>${waitRow(wait, at < OPENED)}</article>`)}
  </section>`;
}

/** Cards open at first; others open on a click. */
const OPENED = 5;
const GOAL = 200;

function waitRow(wait: WaitCard, isOpen: boolean): Html {
  const { runs, item, goal } = wait;
  const [first = ''] = runs;
  const name = cutCharacters(oneLine(goal ?? item.text), GOAL);
  return html`<details class="row"${isOpen && html` open`}><summary>
    <h2>${name}</h2>
    <span>${TITLES[item.kind]}</span>
    <span class="meta">${runs.length > 1 ? `${runs.length} runs` : html`<code>${first}</code>`} until ${timeOf(item.deadline)}</span>
    </summary>${runs.length === 1 && html`<p><a href="${runPath(first)}">Open the run</a></p>`}${waitCard(wait)}</details>`;
}

export function listPage(runs: readonly ListedRun[], isOpen: boolean, lookedAt: number | undefined): Html {
  const other = isOpen ? html`<a href="/runs">all runs</a>` : html`<a href="/runs?open=1">only those that go on</a>`;
  const rows = runs.map(runRow);
  const none = html`<p>There are no runs. <a href="/new">Start one</a>.</p>`;
  return html`<h1>Runs</h1>
    <p>${other}</p>
    ${rows.length === 0 ? none : tableOf(['Run', 'State', 'Started', 'Took'], rows, 'Runs')}
    ${lookedAt !== undefined && html`<p class="dim">The newest of ${grouped(lookedAt)} runs that were looked at.</p>`}`;
}

function runRow(run: ListedRun): readonly HtmlPiece[] {
  const { workflowId, goal, ...rest } = run;
  const { startTime, closeTime, waitingFor = 0 } = rest;
  const now = new Date().toISOString();
  const took = durationText(Date.parse(closeTime ?? now) - Date.parse(startTime));
  const state = runStateText(run);
  const name = html`<a href="${runPath(workflowId)}">${goal ?? workflowId}</a>`;
  return [
    html`<b>${name}</b>${goal !== undefined && html`<br><code class="dim">${workflowId}</code>`}`,
    html`<b class="phase ${state}">${state}${'answered' in rest && ` (${unansweredText(rest)})`}</b>
      ${waitingFor > 0 && html`<br><span class="meta">waits for a person: ${waitingFor}</span>`}`,
    timeOf(startTime, now),
    took,
  ];
}

const NODES = 200;

interface NodesView extends PlanOnPage {
  readonly workflowId: string;
  /** Part of an id, key, title, state or effect. */
  readonly search: string;
  /** The first node of this page. */
  readonly from: string | undefined;
  /** Shows the nodes of this node's group. */
  readonly like?: string | undefined;
}

/** Nodes in plan order, page by page, or those that match. */
export function nodesPage({ workflowId, nodes, plan, search, from, like }: NodesView): Html {
  const group = like === undefined ? undefined : groupWith({ nodes, plan }, like);
  const wanted = search.trim().toLowerCase();
  const found = nodes.filter(({ id, key = '', summary, status, effect = 'read', executor }) => {
    const texts = [id, key, summary, status, effect, executor];
    return group?.has(id) !== false && texts.some((text) => text.toLowerCase().includes(wanted));
  });
  const start = Math.max(0, found.map(({ id }) => id).indexOf(from ?? ''));
  const page = found.slice(start, start + NODES);
  const rows = page.map((node) => nodeRow({ workflowId, entry: { ...entryOf(node), node } }));
  const address = (at: number) =>
    `${runPath(workflowId, 'nodes')}?${new URLSearchParams({ q: search, ...given({ like }), from: found[at]?.id ?? '' }).toString()}`;
  return html`<h1>Nodes of <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    <form method="get">
      <label>Find <input name="q" value="${exact(search)}" placeholder="id, key, title, failed, at-most-once"></label>
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

export function roundsPage({ workflowId, round, maxRounds, rounds }: NonNullable<OutputOf<'trace'>['loop']>): Html {
  const items = rounds.toReversed().map((one) => {
    const step = `step_${one.round}`;
    return html`<li><pre>${roundLines([one])}</pre><a href="${nodePath(workflowId, step)}">why ${step}</a></li>`;
  });
  return html`<h1>Rounds of <a href="${runPath(workflowId)}">${workflowId}</a></h1>
    <p>Round ${round} of at most ${maxRounds}.</p>
    <ol class="facts">${items}</ol>`;
}

interface AllEffects {
  readonly workflowId: string;
  readonly digest: string;
  readonly effects: readonly AskedEffect[];
  /** Effects that an approval would allow; absent if none is asked for. */
  readonly effectCount?: number | undefined;
  readonly roles: readonly string[] | undefined;
  readonly asked?: number | undefined;
  /** An effect may have happened already: to approve it takes a reason. */
  readonly reason?: boolean | undefined;
  /** The approving command. */
  readonly command: string;
}

/**
 * All effects on one page, each value complete.
 * @bound {characters} the effects of a plan on one page
 * @beyond the page names the command that shows them
 */
const MAX_EFFECTS = 2_000_000;

export function effectsPage({
  workflowId,
  digest,
  effects,
  effectCount,
  asked,
  roles,
  command,
  reason,
}: AllEffects): Html {
  const isLong = effectLines({ effects }).join('').length > MAX_EFFECTS;
  const again = asked === undefined ? {} : { asked: String(asked) };
  const hidden = { run: workflowId, digest, allSeen: String(effectCount), ...again };
  const word = button(`Approve all ${grouped(effects.length)}`, 'approve', 'main');
  const all = html`${effectItems(effects, 'effects whole')}
    ${effectCount !== undefined && form(hidden, html`${roleField(roles)}${reasonField(reason)}${word}`)}
    ${folded('By command', html`<pre><code>${command}</code></pre>`)}`;
  return html`<h1>All that would happen</h1>
    <p><a href="${runPath(workflowId)}">${workflowId}</a>: ${counted(effects.length, 'effect')} of plan ${digest.slice(0, 8)}.</p>
    ${isLong ? html`<p>They are too long for a page; <code>planwright effects</code> shows them.</p>` : all}`;
}
