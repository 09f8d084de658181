/** Draws a plan from left to right in execution order, each node once. The server computes the layout. */

import { threadOf } from '../../capabilities/in-thread.ts';
import type { CompiledPlan } from '../../plan/index.ts';
import { MARKS, tailOf } from '../../plan/outline/index.ts';
import { counted, cutCharacters, grouped, oneLine } from '../../plan/text/index.ts';
import { html, type Html } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import { ranksOf, type Group, type NodeDetails, type PlanOnPage } from './fold.ts';
import { effectText } from './words.ts';

/** Maximum numbers: ranks that all lines cross together, and cached layouts. */
const PICTURE_LIMITS = { steps: 200, layouts: 50 };
/** Time limit in ms of the layout. After it the page shows the plan as a list. */
const LAYOUT_MS = 2000;
/** How long an idle layout thread runs, in ms. Starting one takes several times as long as a layout. */
const IDLE_MS = 60_000;
const inThread = threadOf<Layout>(new URL('layout-thread.js', import.meta.url), IDLE_MS);
const BOX = { width: 240, height: 64 };
/** Size of the round joint that represents an operator, with its id below. */
const JOINT = { width: 44, height: 78, id: 9 };
const SIGNS: Readonly<Record<string, string>> = {
  UNION: '∪',
  INTERSECT: '∩',
  MINUS: 'L∖R',
  RMINUS: 'R∖L',
  COLOCATE: 'near',
};
/** Larger counts are rounded on a line. The node's box has all digits. */
const LONG_COUNT = 100_000;
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact' });
const LINE = { title: 27, tail: 32, height: 17 };

const ZOOM = { smaller: ['−', 0.8], larger: ['+', 1.25], whole: ['⤢', 0] } as const;

interface Point {
  readonly x: number;
  readonly y: number;
}

type Line = readonly [from: string, to: string];

export interface Boxes {
  readonly ids: readonly string[];
  readonly sizes: readonly { readonly width: number; readonly height: number }[];
  readonly lines: readonly Line[];
  /** Lines to an effect in a list from the effect that must run before it. */
  readonly after: readonly Line[];
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly places: readonly Point[];
  readonly lines: readonly (readonly Point[])[];
}

/** Layouts are cached, since a change of state redraws the same plan. */
const cached = new Map<string, Promise<Layout | undefined>>();

export async function pictureOf(
  groups: readonly Group[],
  full: ReadonlyMap<string, NodeDetails>,
  { workflowId, plan }: PlanOnPage,
): Promise<Html | ''> {
  if (groups.length === 0) return '';
  const numbers = effectNumbers(groups, plan);
  const sizes = groups.map((group) => (isJoint(group) ? JOINT : BOX));
  const boxes = { ids: groups.map(({ id }) => id), sizes, lines: linesOf(groups), after: afterLines(groups, numbers) };
  const laid = await layoutOf(boxes);
  if (laid === undefined) return html`<p class="meta">It could not be drawn in time; the list below has all of it.</p>`;
  const { width, height, places, lines } = laid;
  const paths = lines.map(
    (points, at) => html`<path${at >= boxes.lines.length && html` class="after"`} d="${curve(points)}"/>`,
  );
  const starts = new Map(boxes.lines.map(([from], at) => [from, lines[at]![0]!]));
  const counts = groups.map(({ id, entries: [first, ...others] }) => {
    const [start, result] = [starts.get(id), first?.node?.result];
    if (start === undefined || result?.kind !== 'set' || others.length > 0) return '';
    const count = result.count < LONG_COUNT ? grouped(result.count) : COMPACT.format(result.count);
    return html`<text class="tail" x="${Math.round(start.x) + 4}" y="${Math.round(start.y) - 5}">${count}</text>`;
  });
  const hidden = groups.flatMap(({ takes }) => takes).length - boxes.lines.length;
  const drawn = groups.map((group, at) => {
    const drawing = isJoint(group)
      ? jointOf(group, full.get(group.id)!)
      : boxOf(group, full.get(group.id)!, numbers.get(group.id));
    return placed(group, drawing, { ...places[at]!, ...sizes[at]! }, workflowId);
  });
  const buttons = Object.entries(ZOOM).map(
    ([word, [sign, by]]) => html`<button type="button" data-zoom="${by}" aria-label="${word}">${sign}</button> `,
  );
  return html`<p class="scripted zoom">${buttons}</p>
    <div class="drawing" role="region" aria-label="The plan, drawn; the same stands below as a list" tabindex="0">
    <svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><g class="lines">${paths}</g>${counts}${drawn}</svg>
    </div>${hidden > 0 && html`<p class="meta">${counted(hidden, 'line')} not drawn; each node names what it takes.</p>`}`;
}

/** The positions of a list's effects in execution order; empty for a tree. */
function effectNumbers(groups: readonly Group[], plan: CompiledPlan | undefined): ReadonlyMap<string, number> {
  const root = plan?.nodesById[plan.root];
  if (root?.kind !== 'task' || root.contextKey === undefined) return new Map();
  const effects = groups.filter(({ entries }) => entries.some(({ effect = 'read' }) => effect !== 'read'));
  if (effects.some(({ entries }) => entries.length > 1)) return new Map();
  return new Map(effects.map(({ id }, at) => [id, at + 1]));
}

function afterLines(groups: readonly Group[], numbers: ReadonlyMap<string, number>): readonly Line[] {
  const ids = [...numbers.keys()];
  const takes = new Map(groups.map((group) => [group.id, group.takes]));
  return ids.slice(1).flatMap((id, at) => (takes.get(id)!.includes(ids[at]!) ? [] : [[ids[at]!, id] as const]));
}

function isJoint({ entries: [first, ...others] }: Group): boolean {
  return first?.operator !== undefined && others.length === 0;
}

/** Computes the layout in a thread, so that only readers of this plan wait. */
function layoutOf(boxes: Boxes): Promise<Layout | undefined> {
  const key = JSON.stringify(boxes);
  const laid = cached.get(key) ?? inThread(boxes, LAYOUT_MS).catch(() => undefined);
  cached.delete(key);
  cached.set(key, laid);
  for (const oldest of cached.keys()) if (cached.size > PICTURE_LIMITS.layouts) cached.delete(oldest);
  return laid;
}

/**
 * The picture's lines, with a step for each rank that they cross. Above the limit, omits implied lines, then the
 * longest.
 */
function linesOf(groups: readonly Group[]): readonly Line[] {
  const ranks = ranksOf(groups);
  const stepsOf = ([from, to]: Line) => Math.max(1, (ranks.get(to) ?? 0) - (ranks.get(from) ?? 0));
  const all = groups.flatMap(({ id, takes }) => takes.map((from): Line => [from, id]));
  if (all.reduce((sum, line) => sum + stepsOf(line), 0) <= PICTURE_LIMITS.steps) return all;
  const before = new Map<string, ReadonlySet<string>>();
  for (const { id, takes } of groups) {
    before.set(id, new Set(takes.flatMap((one) => [one, ...(before.get(one) ?? [])])));
  }
  const takesOf = new Map(groups.map(({ id, takes }) => [id, takes]));
  const isNear = ([from, to]: Line) => !takesOf.get(to)!.some((one) => one !== from && before.get(one)?.has(from));
  let steps = 0;
  return all
    .filter(isNear)
    .toSorted((one, other) => stepsOf(one) - stepsOf(other))
    .filter((line) => (steps += stepsOf(line)) <= PICTURE_LIMITS.steps);
}

function curve(points: readonly Point[]): string {
  const [first, ...rest] = points.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) })) as [Point, ...Point[]];
  const parts = rest.map(({ x, y }, place) => {
    const before = rest[place - 1] ?? first;
    const middle = Math.round((before.x + x) / 2);
    return `C${middle} ${before.y} ${middle} ${y} ${x} ${y}`;
  });
  return `M${first.x} ${first.y}${parts.join('')}`;
}

/** At most two lines, broken between words. */
function titleLines(title: string): readonly string[] {
  const end = title.lastIndexOf(' ', LINE.title);
  if (title.length <= LINE.title || end <= 0) return [cutCharacters(title, LINE.title)];
  return [title.slice(0, end), cutCharacters(title.slice(end + 1), LINE.title)];
}

function boxOf({ id, entries }: Group, first: NodeDetails, number: number | undefined): Html {
  const { standing = 'pending', operator, title, key = id } = first;
  const isMany = entries.length > 1;
  const badge = effectText(first);
  const tail = [
    isMany ? counted(entries.length, 'node') : oneLine(key),
    badge,
    ...(isMany ? [standing] : tailOf(first)),
  ];
  const sign = html`<tspan class="sign" aria-hidden="true">${MARKS[standing].mark} </tspan>`;
  const head = isMany ? `${entries.length} × ` : number === undefined ? '' : `${number}. `;
  const lines = titleLines(head + oneLine(operator ?? title));
  const texts = lines.map(
    (line, at) => html`<text x="13" y="${20 + LINE.height * at}">${at === 0 && sign}${line}</text>`,
  );
  return html`<title>${oneLine(title)}, ${standing}</title>
    <rect width="${BOX.width}" height="${BOX.height}" rx="7"/><rect class="edge" width="5" height="${BOX.height}" rx="2.5"/>
    <svg width="${BOX.width}" height="${BOX.height}">${texts}
    <text x="13" y="${21 + LINE.height * lines.length}" class="tail">${cutCharacters(tail.filter(Boolean).join(' '), LINE.tail)}</text></svg>`;
}

function jointOf({ id }: Group, { standing = 'pending', operator = '', title }: NodeDetails): Html {
  const [middle, top] = [JOINT.width / 2, (JOINT.height - JOINT.width) / 2];
  return html`<title>${operator}: ${oneLine(title)}, ${standing}</title>
    <rect y="${top}" width="${JOINT.width}" height="${JOINT.width}" rx="${middle}"/>
    <text class="joint" x="${middle}" y="${JOINT.height / 2 + 5}">${SIGNS[operator] ?? operator}</text>
    <text class="joint tail" x="${middle}" y="${JOINT.height - 2}"><tspan class="sign" aria-hidden="true">${MARKS[standing].mark} </tspan>${cutCharacters(id, JOINT.id)}</text>`;
}

function placed(
  { id, entries }: Group,
  drawing: Html,
  { x, y, width, height }: Point & Boxes['sizes'][number],
  workflowId: string | undefined,
): Html {
  const [{ standing = 'pending', effect = 'read' } = {}, ...others] = entries;
  const isMany = others.length > 0;
  const kind = ['node', standing, effect !== 'read' && 'effect', isMany && 'many'].filter(Boolean).join(' ');
  const box = html`<g transform="translate(${Math.round(x - width / 2)} ${Math.round(y - height / 2)})">${drawing}</g>`;
  if (workflowId === undefined) return html`<g class="${kind}">${box}</g>`;
  const href = isMany ? `${runPath(workflowId, 'nodes')}?like=${encodeURIComponent(id)}` : nodePath(workflowId, id);
  return html`<a class="${kind}" href="${href}">${box}</a>`;
}
