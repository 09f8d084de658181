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
import { effectItems, itemKeyOf, reasonField, rolesText, TITLES, waitCard, type WaitCard } from './waits.ts';
import { effectWord, stateWord } from './words.ts';

export interface InboxView {
  readonly kind?: string | undefined;
  readonly role?: string | undefined;
  /** As `itemKeyOf`; by default the first. One that no longer waits has no other in its place. */
  readonly item?: string | undefined;
}

const GOAL = 200;

export function inboxPage({ waits, count, missing }: Waits, view: InboxView = {}): Html {
  const { kind, role } = view;
  const fits = waits.filter(
    ({ item }) =>
      [item.kind, undefined].includes(kind as never) && (role === undefined || item.roles?.includes(role) !== false),
  );
  const chosen = view.item === undefined ? fits[0] : waits.find(({ item }) => itemKeyOf(item) === view.item);
  const some = html`${counted(count, 'thing')} wait${count === 1 ? 's' : ''} for a person.`;
  const none = html`Nothing waits for a person. <a href="/new">Start a plan</a>, or look at the <a href="/runs">runs</a>.`;
  const runs = chosen?.runs ?? view.item?.split(' ').slice(0, 1) ?? [];
  const link = runs.length === 1 && html`<p><a href="${runPath(runs[0]!)}">Open the run</a></p>`;
  const or = missing.length > 0 && ', or is among what is not shown';
  const gone = view.item !== undefined && html`<p class="warning" role="status">This was settled meanwhile${or}.</p>`;
  const rows = fits.map((wait) => inboxRow(wait, view, wait === chosen));
  return html`<div class="run">
    <section id="head"><h1>Inbox</h1><p>${count === 0 ? none : some}</p>
      ${missing.map((line) => html`<p class="warning lines">${line}</p>`)}${filtersOf(waits, view)}</section>
    <div class="side"><section id="waits">${chosen === undefined ? gone : waitCard(chosen)}</section>${link}</div>
    <div class="main"><ol class="rows">${rows}</ol>
      ${rows.length > 0 && html`<p class="meta scripted">Keys: j next, k previous, a to Approve, r to Reject</p>`}</div>
  </div>`;
}

function inboxPath(view: InboxView): string {
  const query = new URLSearchParams(given({ ...view }) as Record<string, string>).toString();
  return query === '' ? '/' : `/?${query}`;
}

function inboxRow({ runs, item, goal }: WaitCard, view: InboxView, isChosen: boolean): Html {
  const name = cutCharacters(oneLine(goal ?? item.text), GOAL);
  const where = runs.length > 1 ? `${runs.length} runs` : runs[0];
  return html`<li><a href="${inboxPath({ ...view, item: itemKeyOf(item) })}"${isChosen && html` aria-current="true"`}><b>${name}</b>
    <span class="meta">${TITLES[item.kind]} for ${rolesText(item.roles)}, until ${timeOf(item.deadline)}, ${where}</span></a></li>`;
}

function filtersOf(waits: readonly WaitCard[], { kind, role }: InboxView): HtmlPiece {
  const kinds = [...new Set(waits.map(({ item }) => item.kind))];
  const roles = [...new Set(waits.flatMap(({ item }) => item.roles ?? []))].slice(0, MAX_ROLES);
  const chip = (word: string, to: InboxView, isOn: boolean) =>
    html`<a class="chip" href="${inboxPath(to)}"${isOn && html` aria-current="true"`}>${word}</a> `;
  const all = [
    chip('all', {}, kind === undefined && role === undefined),
    ...kinds.map((one) => chip(TITLES[one], { kind: one, role }, kind === one)),
    ...roles.map((one) => chip(`for ${one}`, { kind, role: one }, role === one)),
  ];
  return all.length > 3 && html`<p class="chips">${all}</p>`;
}

const MAX_ROLES = 12;

export function listPage(runs: readonly ListedRun[], isOpen: boolean, lookedAt: number | undefined): Html {
  const other = isOpen ? html`<a href="/runs">all runs</a>` : html`<a href="/runs?open=1">running only</a>`;
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
    html`<b class="phase ${state}">${stateWord(state)}${'answered' in rest && ` (${unansweredText(rest)})`}</b>
      ${waitingFor > 0 && html`<br><span class="meta">waits for a person: ${waitingFor}</span>`}`,
    timeOf(startTime, now),
    took,
  ];
}

export function grantsPage(grants: OutputOf<'grants'>['grants']): Html {
  const rows = grants.map(({ id, state, used, goal = '', by = '', role, uses = 0, until, starters = [] }) => [
    html`<b>${goal}</b><br><code class="dim">${id.slice(0, 8)}</code> by ${by}${role !== undefined && ` as ${role}`}`,
    state,
    `${grouped(used)} of ${grouped(uses)}`,
    until === undefined ? '' : timeOf(until),
    starters.join(', '),
  ]);
  const none = html`<p>There are no grants. <code>planwright grant</code> gives one.</p>`;
  return html`<h1>Grants</h1>
    ${rows.length === 0 ? none : tableOf(['Plan', 'State', 'Uses', 'Until', 'Started by'], rows, 'Grants')}`;
}

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
  readonly shown?: string | undefined;
  /** An effect may have happened already: to approve it takes a reason. */
  readonly reason?: boolean | undefined;
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
  shown,
  roles,
  command,
  reason,
}: AllEffects): Html {
  const isLong = effectLines({ effects }).join('').length > MAX_EFFECTS;
  const hidden = { run: workflowId, digest, allSeen: String(effectCount), ...given({ shown }) };
  const word = button(`Approve all ${grouped(effects.length)}`, 'approve', 'main');
  const all = html`${effectItems(effects, 'effects whole')}
    ${effectCount !== undefined && form(hidden, html`${roleField(roles)}${reasonField(reason)}${word}`)}
    ${folded('By command', html`<pre><code>${command}</code></pre>`)}`;
  return html`<h1>All that would happen</h1>
    <p><a href="${runPath(workflowId)}">${workflowId}</a>: ${counted(effects.length, 'effect')} of plan ${digest.slice(0, 8)}.</p>
    ${isLong ? html`<p>They are too long for a page; <code>planwright effects</code> shows them.</p>` : all}`;
}
