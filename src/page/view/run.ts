import { contextRefs, groupsBy } from '../../plan/index.ts';
import { counted, cutCharacters, durationText, grouped, oneLine } from '../../plan/text/index.ts';
import { errorOfEnd, issuesOf, endFacts } from '../../operations/index.ts';
import {
  budgetText,
  countsOf,
  itemCommand,
  nodeRemark,
  rolesText,
  usageText,
  workLines,
  workRows,
} from '../../operations/words/index.ts';
import { amountOf, unattendedText, type NodeStatus, type OpenItem, uncertainText } from '../../protocol/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import { resultPath, runPath } from '../paths.ts';
import type { PageParts, Seen } from '../watch.ts';
import { issueItem } from './plan.ts';
import { andMore, button, commentField, folded, form, listOf, nodeLink, timeOf } from './layout.ts';
import { renderPlan, signOf } from './outline.ts';
import type { Stretch } from './timeline.ts';
import { agentRuns } from './rounds.ts';
import { resultStart } from './result.ts';
import { stateWord } from './words.ts';
import type { RunContents } from '../contents.ts';
import { alikeOf, sharedAnswerKey, likeness, waitCard, type WaitCard } from './waits.ts';

const TITLE = 160;
const STATES = 'succeeded reused failed uncertain skipped cancelled running waiting pending'.split(' ') as NodeStatus[];
const SHOWN = { now: 20, waits: 50, effects: 100, nodes: 60, results: 8, decisions: 5 };

const FAILURES = { kinds: 20, nodes: 3, characters: 600 };

export type CommandText = (command: string) => string;

export async function runParts(
  seen: Seen,
  typed: CommandText,
  replans = true,
  contents: RunContents = {},
): Promise<PageParts> {
  const { status, endedAt, open } = seen;
  const waitsFor = new Map(open.flatMap(({ nodes, roles }) => nodes.map((id) => [id, rolesText(roles)] as const)));
  const why = (stretch: Stretch) => idleText(seen, contents, stretch);
  const run = status && { startedAt: status.startedAt, endedAt, why };
  const [picture, rows] = await renderPlan({ ...seen, times: run, waitsFor, below: (ids) => agentRuns(seen, ids) });
  return new Map([
    ['head', headOf(seen)],
    ['waits', waitsOf(seen, typed, replans)],
    ['decided', decidedOf(seen, contents)],
    ['end', endOf(seen, typed, contents)],
    ['work', stateOf(seen)],
    ['now', nowOf(seen)],
    ['failures', failuresOf(seen)],
    ['plan', html`<section id="plan">${seen.nodes.length > 0 && html`<h2>Plan</h2>`}${picture}</section>`],
    ['outline', html`<section id="outline">${rows}</section>`],
  ]);
}

function idleText({ open }: Seen, { decisions = [] }: RunContents, { from, to }: Stretch): string {
  const last = decisions.findLast(({ at }) => Date.parse(at) > from && Date.parse(at) <= to + CLOCK_MS);
  if (last?.said !== undefined) return `waited for ${oneLine(last.said.by)}`;
  const [item] = open;
  return item !== undefined && Date.parse(item.since) <= to ? `waits for ${rolesText(item.roles)}` : 'nothing ran';
}

/**
 * Tolerance for differences between clocks, in ms: a decision that is at most this much later than the end of an idle
 * stretch may have ended it.
 */
const CLOCK_MS = 1000;

/**
 * Renders the page of a run. On a wide screen, open items are a separate column that stays in sight, where a selected
 * node opens too.
 * @param changes changes of the plan since this browser saw it last
 */
export function runPage(parts: PageParts, changes: HtmlPiece = ''): Html {
  const part = (id: string) => parts.get(id);
  return html`<div class="run">
    ${part('head')}
    <div class="side">
      <section id="beside" class="box" aria-label="The node that is looked at"></section>
      ${part('waits')}${changes}${part('decided')}
    </div>
    <div class="main">${['end', 'work', 'now', 'failures', 'plan', 'outline'].map(part)}</div>
  </div>`;
}

export function titleOf({ plan, listed, workflowId }: Pick<Seen, 'plan' | 'listed' | 'workflowId'>): string {
  return oneLine(plan?.goal ?? listed?.goal ?? workflowId);
}

function headOf(seen: Seen): Html {
  const { workflowId, status } = seen;
  const phase = phaseOf(seen);
  const goal = titleOf(seen);
  return html`<section id="head">
    <div class="title"><h1>${cutCharacters(goal, TITLE)}</h1>${!isOver(seen) && controls(seen)}</div>
    ${goal.length > TITLE && folded('The whole goal', html`<p>${goal}</p>`, 'goal')}
    <p class="meta"><b class="phase ${phase}">${stateWord(phase)}${status?.paused === true && ', paused'}</b> <code>${workflowId}</code>${times(seen)}</p>
    ${warnings(seen).map((line) => html`<p class="warning lines" role="alert">${line}</p>`)}
  </section>`;
}

function phaseOf({ status, end, listed }: Seen): string {
  const ended = listed === undefined || listed.status === 'running' ? undefined : listed.status;
  return (end === undefined ? ended : endFacts(end).outcome) ?? status?.phase ?? 'not known yet';
}

function isOver({ end, listed }: Seen): boolean {
  return end !== undefined || (listed !== undefined && listed.status !== 'running');
}

function stateOf(seen: Seen): Html {
  return html`<section id="work">${counts(seen)}${workOf(seen)}<p class="meta">${linksOf(seen)}</p></section>`;
}

function warnings({ status, trouble, end }: Seen): readonly string[] {
  const isSilent = status === undefined && trouble === undefined && end === undefined;
  const nobody = trouble?.unattended && unattendedText(trouble.unattended);
  const lines = [nobody, trouble?.message, isSilent ? 'its worker has not answered yet' : undefined, status?.waits];
  return lines.filter((line) => line !== undefined);
}

function times({ status, endedAt }: Seen): HtmlPiece {
  if (status === undefined) return '';
  const { startedAt } = status;
  if (endedAt === undefined) return html` started ${timeOf(startedAt)}, <span data-since="${startedAt}"></span>`;
  return html` started ${timeOf(startedAt)}, took ${durationText(Date.parse(endedAt) - Date.parse(startedAt))}`;
}

function counts({ status, attempts }: Seen): HtmlPiece {
  if (status === undefined || status.counts.total === 0) return '';
  const { total, ...states } = status.counts;
  const words = countsOf(status.counts, attempts).join(', ');
  let at = 0;
  const parts = STATES.map((state) => {
    const left = at;
    at += states[state];
    return states[state] > 0 && html`<rect class="${state}" x="${left}" width="${states[state]}" height="1"/>`;
  });
  return html`<svg class="progress" viewBox="0 0 ${total} 1" preserveAspectRatio="none" role="img" aria-label="${words}">${parts}</svg><p>${words}</p>`;
}

function workOf({ status }: Seen): HtmlPiece {
  if (status === undefined) return '';
  const { usage, budget } = status;
  const lines = [...workLines({ ...status, children: [] }), usage && usageText(usage), budget && budgetText(budget)];
  return lines.map((line) => line !== undefined && html`<p>${line}</p>`);
}

function linksOf({ workflowId, status }: Seen): Html {
  const plan =
    status !== undefined && html`digest <code>${status.digest.slice(0, 8)}</code>, revision ${status.revision} · `;
  const rounds = status?.loop !== undefined && html` · <a href="${runPath(workflowId, 'rounds')}">rounds</a>`;
  const nodes = html` · <a href="${runPath(workflowId, 'nodes')}">all nodes</a>`;
  return html`${plan}<a href="${runPath(workflowId, 'trace')}">what happened</a>${rounds}${nodes}`;
}

function controls({ workflowId, status }: Seen): HtmlPiece {
  const hidden = { run: workflowId };
  const turn = status?.paused === true ? button('Resume', 'resume') : button('Pause', 'pause');
  const kill = html`${commentField('Reason', true)}${button('Kill the run', 'kill', 'bad')}`;
  const inside = html`<div class="box">${form(hidden, turn)}${form(hidden, kill)}</div>`;
  return html`<details class="menu" id="menu"><summary><span class="vh">Pause or kill the run</span></summary>${inside}</details>`;
}

function decidedOf({ workflowId, open }: Seen, { decisions = [] }: RunContents): Html {
  const rows = decisions.slice(-SHOWN.decisions).toReversed();
  const lines = rows.map(({ at, text }) => html`${timeOf(at)} ${text}`);
  const more = decisions.length - rows.length;
  const card = html`<div class="box"><h2>Decided</h2>${listOf(lines, 'facts')}
    ${more > 0 && html`<p><a href="${runPath(workflowId, 'trace')}">${counted(more, 'more decision')}</a></p>`}</div>`;
  return html`<section id="decided">${open.length === 0 && rows.length > 0 && card}</section>`;
}

/** Renders the open items. Failures with the same cause share a card. */
function waitsOf(seen: Seen, typed: CommandText, replans: boolean): Html {
  const groups = [...groupsBy(seen.open, (item) => sharedAnswerKey(item)).values()];
  const cards = groups
    .slice(0, SHOWN.waits)
    .map((all) => waitCard({ ...waitOf(all[0]!, seen, typed), replans, ...alikeOf(all) }));
  return html`<section id="waits">${cards}${andMore(groups.length - cards.length, 'wait')}</section>`;
}

function waitOf(item: OpenItem, seen: Seen, typed: CommandText): Omit<WaitCard, 'replans'> {
  // An agent's items are about another plan.
  const isOwn = item.workflowId === seen.workflowId && item.digest === seen.status?.digest;
  const pending = isOwn && item.kind === 'approval' ? seen.nodes.filter(({ status }) => status === 'pending') : [];
  const above = pending.filter(({ effect = 'read' }) => effect !== 'read');
  return {
    item,
    runs: [item.workflowId],
    goal: seen.plan?.goal,
    plan: isOwn ? seen.plan : undefined,
    context: isOwn && seen.plan !== undefined ? Object.keys(contextRefs(seen.plan)).slice(0, SHOWN.effects) : [],
    nodes: pending.length > SHOWN.nodes ? above.slice(0, SHOWN.effects) : pending,
    command: itemCommand(item, typed),
  };
}

/** Renders the running nodes, nodes in trouble first; during planning, the model's latest lines. */
function nowOf(seen: Seen): Html {
  const { nodes, feedback, workflowId } = seen;
  const byNode = new Map(nodes.map((node) => [node.id, node]));
  const all = workRows(seen, Date.now());
  const rows = all.slice(0, SHOWN.now).map(({ id, at, facts, isTrouble, standing }) => {
    const node = byNode.get(id);
    const name = node === undefined ? id : nodeLink(workflowId, node);
    const since = at !== undefined && html`<span class="tail" data-since="${at}"></span>`;
    return html`<span class="${isTrouble && 'trouble'}">${signOf({ standing })}${name} ${since} ${facts}</span>`;
  });
  const more = all.length - rows.length;
  return html`<section id="now">
    ${(rows.length > 0 || feedback.length > 0) && html`<h2>Now</h2>`}
    ${feedback.length > 0 && html`<pre>${feedback.join('\n')}</pre>`}
    ${listOf(rows, 'facts')}${more > 0 && html`<p>and ${grouped(more)} more under way</p>`}
  </section>`;
}

/** Renders failures. Equal failures are a group, and root causes come first. Uncertain effects are separate. */
function failuresOf(seen: Seen): Html {
  const skipped = seen.nodes.filter(({ status }) => status === 'skipped').length;
  const ended = (wanted: string) => seen.nodes.filter(({ status }) => status === wanted);
  const [failed, uncertain] = [ended('failed'), ended('uncertain')];
  const needing = skipped > 0 && failed.length + uncertain.length > 0;
  return html`<section id="failures">${kindsOf(seen, failed, 'failed')}${kindsOf(seen, uncertain, 'uncertain')}
    ${needing && html`<p class="dim">${counted(skipped, 'node')} did not run, since one of these is needed.</p>`}</section>`;
}

function kindsOf({ workflowId }: Seen, nodes: Seen['nodes'], word: string): HtmlPiece {
  if (nodes.length === 0) return '';
  const inTime = nodes.toSorted((a, b) => (a.endedAt ?? '').localeCompare(b.endedAt ?? ''));
  const kinds = [...groupsBy(inTime, (node) => likeness(nodeRemark(node))).values()];
  const rows = kinds.slice(0, FAILURES.kinds).map((all) => {
    const named = all.slice(0, FAILURES.nodes).map((node) => html`${nodeLink(workflowId, node)} `);
    const more = all.length - named.length;
    const failure = cutCharacters(nodeRemark(all[0]!), FAILURES.characters);
    return html`<b>${all.length} ×</b> <b class="told">${failure}</b> <span class="meta">${named}${more > 0 && `and ${more} more`}</span>`;
  });
  return html`<h2>${counted(nodes.length, 'node')} ${word}</h2>
    ${listOf(rows, 'facts failed')}${andMore(kinds.length - rows.length, 'kind')}`;
}

function endOf({ workflowId, end, nodes, status }: Seen, typed: CommandText, { answer }: RunContents): Html {
  if (end === undefined) return html`<section id="end"></section>`;
  const { result, results = {}, uncertain = [] } = endFacts(end);
  const error = errorOfEnd(workflowId, end, typed);
  const all = Object.entries(results);
  const chips = all.slice(0, SHOWN.results).map(([key, handle]) => {
    const node = nodes.find((one) => one.key === key)?.id ?? key;
    return html`<a class="chip" href="${resultPath(workflowId, { node })}">${key} <span class="dim">${amountOf(handle)}</span></a> `;
  });
  const more = all.length - chips.length;
  const { succeeded = 0, reused = 0 } = status?.counts ?? {};
  return html`<section id="end">
    <h2>${result === undefined ? 'The end' : 'Result'}</h2>
    ${error !== undefined && html`<p class="warning lines">${error.message}</p>${issuesOf(error).map(issueItem)}`}
    ${uncertain.map((one) => html`<p class="warning">${uncertainText(one)}</p>`)}
    ${result !== undefined && resultStart({ workflowId, part: {}, handle: result, content: answer })}
    ${chips.length > 0 && html`<p class="chips">${chips}${more > 0 && html`<a href="${runPath(workflowId, 'nodes')}">${grouped(more)} more</a>`}</p>`}
    ${form({ run: workflowId }, button(`Run it again${succeeded + reused > 0 ? ', with what has finished' : ''}`, 'rerun'))}
  </section>`;
}
