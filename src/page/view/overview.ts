import { cutCharacters, durationText, grouped, counted, oneLine } from '../../plan/text/index.ts';
import { runStateText, type ListedRun } from '../../operations/index.ts';
import { CARD_TITLES, rolesText, unansweredText } from '../../operations/words/index.ts';
import { given, OUTCOMES, PHASES } from '../../protocol/index.ts';
import type { Waits } from '../inbox.ts';
import { exact, html, type Html, type HtmlPiece } from '../markup.ts';
import { runPath } from '../paths.ts';
import { timeOf } from './layout.ts';
import { itemKeyOf, runInKey, waitCard, type WaitCard } from './waits.ts';
import { stateWord } from './words.ts';

export interface InboxView {
  readonly kind?: string | undefined;
  readonly role?: string | undefined;
  /** `me`: what this reader may still answer. */
  readonly for?: string | undefined;
  /** The selected item by `itemKeyOf`; default: the first. If it closes, no other item replaces it. */
  readonly item?: string | undefined;
}

interface InboxReader {
  readonly name?: string | undefined;
  readonly role?: string | undefined;
}

const GOAL = 200;
const MAX_ROLES = 12;

export function inboxPage({ waits, count, missing }: Waits, view: InboxView = {}, reader: InboxReader = {}): Html {
  const fits = waits.filter(({ item }) => fitsView(item, view, reader));
  const chosen = view.item === undefined ? fits[0] : waits.find(({ item }) => itemKeyOf(item) === view.item);
  const some = html`${counted(count, 'thing')} wait${count === 1 ? 's' : ''} for a person.`;
  const none = html`Nothing waits for a person. <a href="/new">Start a plan</a>, or look at the <a href="/runs">runs</a>.`;
  const runs = chosen?.runs ?? (view.item === undefined ? [] : [runInKey(view.item)]);
  const link = runs.length === 1 && html`<p><a href="${runPath(runs[0]!)}">Open the run</a></p>`;
  const or = missing.length > 0 && ', or is among what is not shown';
  const gone = view.item !== undefined && html`<p class="warning" role="status">This was settled meanwhile${or}.</p>`;
  const rows = fits.map((wait) => inboxRow(wait, view, wait === chosen));
  return html`<div class="run">
    <section id="head"><h1>Inbox</h1><p>${count === 0 ? none : some}</p>
      ${missing.map((line) => html`<p class="warning lines">${line}</p>`)}${filtersOf(waits, view, reader)}</section>
    <div class="side"><section id="waits">${chosen === undefined ? gone : waitCard(chosen)}</section>${link}</div>
    <div class="main">${rows.length === 0 && count > 0 && html`<p>None of them is of this kind.</p>`}<ol class="rows">${rows}</ol>
      ${rows.length > 0 && html`<p class="meta scripted">Keys: j next, k previous, a to Approve, r to Reject</p>`}</div>
  </div>`;
}

function fitsView({ kind, roles, approvedBy = [] }: WaitCard['item'], view: InboxView, reader: InboxReader): boolean {
  const isFor = (role: string | undefined) => roles === undefined || (role !== undefined && roles.includes(role));
  return (
    (view.kind === undefined || view.kind === kind) &&
    (view.role === undefined || isFor(view.role)) &&
    (view.for === undefined || (isFor(reader.role) && !approvedBy.includes(reader.name ?? '')))
  );
}

function rowLink(href: string, title: string, isChosen: boolean, beside: HtmlPiece, below: HtmlPiece): Html {
  const name = cutCharacters(oneLine(title), GOAL);
  return html`<li><a href="${href}"${isChosen && html` aria-current="true"`}><b>${name}</b> ${beside} <span class="meta">${below}</span></a></li>`;
}

function inboxRow({ runs, item, goal }: WaitCard, view: InboxView, isChosen: boolean): Html {
  const where = runs.length > 1 ? `${runs.length} runs` : runs[0];
  const below = html`${CARD_TITLES[item.kind]} for ${rolesText(item.roles)}, until ${timeOf(item.deadline)}, ${where}`;
  return rowLink(pathWith('/', { ...view, item: itemKeyOf(item) }), goal ?? item.text, isChosen, '', below);
}

function pathWith(path: string, view: object): string {
  const query = new URLSearchParams(given({ ...view }) as Record<string, string>).toString();
  return query === '' ? path : `${path}?${query}`;
}

function filtersOf(waits: readonly WaitCard[], view: InboxView, { name, role }: InboxReader): HtmlPiece {
  const kinds = [...new Set(waits.map(({ item }) => item.kind))];
  const roles = [...new Set(waits.flatMap(({ item }) => item.roles ?? []))].slice(0, MAX_ROLES);
  const chip = (word: string, to: InboxView, isOn: boolean) =>
    html`<a class="chip" href="${pathWith('/', to)}"${isOn && html` aria-current="true"`}>${word}</a> `;
  const { item: _, ...here } = view;
  const isAll = Object.values(here).every((one) => one === undefined);
  const chips = [
    ...(name === undefined && role === undefined ? [] : [chip('for me', { for: 'me' }, view.for !== undefined)]),
    ...roles.map((one) => chip(one === role ? `my role, ${one}` : `for ${one}`, { role: one }, view.role === one)),
    ...kinds.map((one) => chip(CARD_TITLES[one], { ...here, kind: one }, view.kind === one)),
  ];
  return chips.length > 2 && html`<p class="chips">${chip('all', {}, isAll)}${chips}</p>`;
}

export const RUNS_FIELDS = ['goal', 'state', 'plan', 'person', 'since', 'until'] as const;
/** The text of each field of the search form. An absent field matches every run. */
export type RunsView = Readonly<Partial<Record<(typeof RUNS_FIELDS)[number], string>>>;

/** The filter for all runs that have not ended. Each of them also has a phase. */
export const OPEN_STATE = 'open';

/** The list of runs. @param lookedAt how many runs were searched, if the server has more */
export function runsPage(runs: readonly ListedRun[], view: RunsView, { lookedAt, more }: MoreRuns = {}): Html {
  const isFiltered = Object.keys(view).length > 0;
  const none = isFiltered
    ? html`No run is like this. <a href="/runs">Show all</a>`
    : html`There are no runs. <a href="/new">Start one</a>.`;
  return html`<h1>Runs</h1>${runsForm(view)}
    ${runs.length === 0 && html`<p>${none}</p>`}<ol class="rows">${runs.map(runRow)}</ol>
    ${more === true && html`<p class="meta">These are the newest; a narrower search finds others.</p>`}
    ${lookedAt !== undefined && html`<p class="meta">Of the ${grouped(lookedAt)} runs that the server lists first.</p>`}`;
}

interface MoreRuns {
  readonly lookedAt?: number | undefined;
  readonly more?: boolean;
}

const STATES = [OPEN_STATE, ...PHASES.slice(0, -1), 'paused', ...OUTCOMES, 'terminated', 'timed-out'];

function runsForm(view: RunsView): Html {
  const field = (name: keyof RunsView, label: string, type = 'text', more: HtmlPiece = '') =>
    html`<label>${label} <input type="${type}" name="${name}" value="${exact(view[name] ?? '')}" maxlength="200"${more}></label>`;
  const options = STATES.map(
    (state) => html`<option value="${state}"${state === view.state && html` selected`}>${stateWord(state)}</option>`,
  );
  const rest = [
    field('plan', 'Digest of its plan, at least 8 digits', 'text', html` pattern="[0-9a-fA-F]{8,64}"`),
    field('person', 'Ended by this person, or waits for this role'),
    field('since', 'Started on or after (UTC)', 'date'),
    field('until', 'Started on or before (UTC)', 'date'),
  ];
  const { goal: _, state: __, ...others } = view;
  const isOpen = Object.keys(others).length > 0 && html` open`;
  return html`<form method="get" role="search">${field('goal', 'Find in goals', 'search')}
    <label>State <select name="state"><option value="">any</option>${options}</select></label>
    <details${isOpen}><summary>More filters</summary><div class="fields">${rest}</div></details><button class="main">Find</button></form>`;
}

function runRow(run: ListedRun): Html {
  const { workflowId, goal, startTime, closeTime, waitingFor = 0 } = run;
  const now = new Date().toISOString();
  const took = durationText(Date.parse(closeTime ?? now) - Date.parse(startTime));
  const state = runStateText(run);
  const facts = [
    'answered' in run && `, ${unansweredText(run)}`,
    waitingFor > 0 && `, waits for a person: ${waitingFor}`,
  ];
  const below = html`${timeOf(startTime, now)}, ${closeTime === undefined ? 'for' : 'took'} ${took}${facts}, ${workflowId}`;
  return rowLink(
    runPath(workflowId),
    goal ?? workflowId,
    false,
    html`<b class="phase ${state}">${stateWord(state)}</b>`,
    below,
  );
}
