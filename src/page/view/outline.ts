/** A plan as rows in execution order: sign, badge, result, time, and an effect's values below. */

import {
  badgeOf,
  MARKS,
  nodeLabel,
  tailOf,
  valueText,
  type OutlineEntry,
  type ShownValue,
} from '../../plan/outline/index.ts';
import { cutCharacters, durationText, oneLine } from '../../plan/text/index.ts';
import { nodeRemark } from '../../operations/words/index.ts';
import { html, type Html, type HtmlPiece } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import {
  entriesOf,
  groupsOf,
  detailsByNode,
  type NodeEntry,
  type Group,
  type PlanOnPage,
  type NodeDetails,
} from './fold.ts';
import { pictureOf } from './picture.ts';

/** Characters of a row's text and of an effect's values; the node's page shows everything. */
const VALUE = 2000;
/** The bar's resolution; a growing end moves in these steps. */
const BAR = { width: 1000, steps: 100 };

const UNDER_WAY: ReadonlySet<string> = new Set(['running', 'queued', 'waiting']);

/** The time axis of the bars; milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly now: number;
}

/** As a picture and as rows. */
export async function renderPlan(
  view: PlanOnPage & { readonly span?: Span | undefined },
): Promise<readonly [picture: Html | '', rows: Html]> {
  const { workflowId, span } = view;
  const groups = groupsOf(entriesOf(view));
  const full = detailsByNode(view, groups);
  const rows = groups.map((group) => {
    const entry = full.get(group.id)!;
    const bar = span && barOf(group.entries, span);
    if (group.entries.length > 1) return groupRow(group, entry, workflowId, bar);
    return nodeRow({ workflowId, entry, bar });
  });
  return [await pictureOf(groups, full, workflowId), html`<ol class="outline">${rows}</ol>`];
}

/** Nodes in this node's group. */
export function groupWith(view: PlanOnPage, id: string): ReadonlySet<string> {
  const group = groupsOf(entriesOf(view)).find((one) => one.id === id);
  return new Set(group?.entries.map((one) => one.id));
}

function groupRow({ id, entries }: Group, first: NodeDetails, workflowId: string | undefined, bar: HtmlPiece): Html {
  const { standing = 'pending', operator, node, title } = first;
  const href = workflowId && `${runPath(workflowId, 'nodes')}?like=${encodeURIComponent(id)}`;
  const many = `${entries.length} × ${operator ?? node?.executor ?? ''}`;
  return html`<li class="${standing}"><div>${signOf(first)}${linked(href, many)}${badgeHtml(badgeOf(first))}
    ${standing} <span class="tail">such as ${oneLine(title)}</span></div>${bar}</li>`;
}

interface NodeRow {
  readonly workflowId?: string | undefined;
  readonly entry: NodeDetails;
  readonly bar?: HtmlPiece;
}

/** Sign, name, badge, title, result; below them values and the reason for a missing result. */
export function nodeRow({ workflowId, entry, bar }: NodeRow): Html {
  const { id, standing, title, node, words = '' } = entry;
  const [tail, failure] = [tailOf(entry).join(' · '), node === undefined ? '' : nodeRemark(node)];
  const href = workflowId && nodePath(workflowId, id);
  const since =
    standing === 'running' &&
    node?.scheduledAt !== undefined &&
    html` <span class="tail" data-since="${node.scheduledAt}"></span>`;
  return html`<li id="n-${id}" class="${standing ?? 'pending'}"><div>
    ${signOf(entry)}${linked(href, nodeLabel(entry))}${badgeHtml(badgeOf(entry))} ${oneLine(title)}
    ${tail !== '' && html`<span class="tail">${tail}</span>`}${since}
    ${words !== '' && html`<p class="words">${cutCharacters(words, VALUE)}</p>`}
    ${failure !== '' && html`<p class="told">${cutCharacters(failure, VALUE)}</p>`}</div>${bar}</li>`;
}

/** From scheduled to ended; the wait for a worker is lighter. */
function barOf(entries: readonly NodeEntry[], { from, to, now }: Span): Html | '' {
  const times = entries.flatMap(({ node, standing = 'pending' }) => {
    if (node?.scheduledAt === undefined || (node.endedAt === undefined && !UNDER_WAY.has(standing))) return [];
    const { scheduledAt, startedAt = scheduledAt, endedAt } = node;
    const ended = endedAt === undefined ? now : Date.parse(endedAt);
    return [{ began: Date.parse(scheduledAt), started: Date.parse(startedAt), ended }];
  });
  const [began, started] = [Math.min(...times.map((one) => one.began)), Math.min(...times.map((one) => one.started))];
  const ended = Math.max(...times.map((one) => one.ended));
  if (!Number.isFinite(began + started + ended)) return '';
  const place = (at: number) => Math.round((BAR.width * (Math.min(Math.max(at, from), to) - from)) / (to - from));
  const [left, middle] = [place(began), place(started)];
  const words = `${durationText(began - from)} after the start, for ${durationText(ended - began)}`;
  return html`<svg class="bar" viewBox="0 0 ${BAR.width} 10" preserveAspectRatio="none" role="img" aria-label="${words}"><title>${words}</title>
    <rect class="queue" x="${left}" width="${Math.max(0, middle - left)}" height="10"/>
    <rect class="${entries[0]?.standing ?? 'pending'}" x="${middle}" width="${Math.max(4, place(ended) - middle)}" height="10"/></svg>`;
}

/** From a run's start to its end. For a running one the end moves seldom, so that bars do not shift. */
export function spanOf(startedAt: string, endedAt: string | undefined): Span | undefined {
  const from = Date.parse(startedAt);
  const end = endedAt === undefined ? Date.now() : Date.parse(endedAt);
  if (Number.isNaN(from + end)) return undefined;
  if (endedAt !== undefined) return { from, to: Math.max(end, from + 1), now: end };
  const length = 2 ** Math.ceil(Math.log2(Math.max(1000, end - from)));
  const step = length / BAR.steps;
  return { from, to: from + length, now: from + Math.ceil((end - from) / step) * step };
}

function badgeHtml(badge: string): HtmlPiece {
  return badge !== '' && html` <b class="fx">${badge}</b>`;
}

function linked(href: string | undefined, word: string): HtmlPiece {
  return href ? html`<a href="${href}">${word}</a>` : word;
}

/** The sign with a text for screen readers; none before the run. */
export function signOf({ standing }: Pick<OutlineEntry, 'standing'>): HtmlPiece {
  return (
    standing !== undefined &&
    html`<i class="m ${standing}" aria-hidden="true">${MARKS[standing].mark}</i><span class="vh">${standing} </span>`
  );
}

export function valueList(values: readonly ShownValue[]): Html {
  const rows = values.map((one) => html`<div><dt>${one.name}</dt> <dd><code>${valueText(one)}</code></dd></div>`);
  return html`<dl class="values">${rows}</dl>`;
}
