/** Draws a plan from left to right in execution order, each node once. The server computes the layout. */

import { threadOf } from '../../capabilities/in-thread.ts';
import { MARKS, tailOf } from '../../plan/outline/index.ts';
import { counted, cutCharacters, oneLine } from '../../plan/text/index.ts';
import { html, type Html } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import { ranksOf, type Group, type NodeDetails } from './fold.ts';
import { effectText } from './words.ts';

/** Maximum numbers: of ranks that all lines cross together, and of cached layouts. */
const PICTURE_LIMITS = { steps: 200, layouts: 50 };
/** Time limit of the layout. After it the page shows the plan as a list. */
const LAYOUT_MS = 2000;
/** How long an idle layout thread runs, since starting one takes several times as long as a layout. */
const IDLE_MS = 60_000;
const inThread = threadOf<Layout>(new URL('layout-thread.js', import.meta.url), IDLE_MS);
const BOX = { width: 226, height: 64 };
const LINE = { title: 27, tail: 35, height: 17 };

const ZOOM = { smaller: ['−', 0.8], larger: ['+', 1.25], whole: ['⤢', 0] } as const;

interface Point {
  readonly x: number;
  readonly y: number;
}

type Line = readonly [from: string, to: string];

export interface Boxes {
  readonly ids: readonly string[];
  readonly lines: readonly Line[];
  readonly box: typeof BOX;
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
  workflowId: string | undefined,
): Promise<Html | ''> {
  if (groups.length === 0) return '';
  const laid = await layoutOf(groups);
  if (laid === undefined) return html`<p class="meta">It could not be drawn in time; the list below has all of it.</p>`;
  const { width, height, places, lines } = laid;
  const paths = lines.map((points) => html`<path d="${curve(points)}"/>`);
  const hidden = groups.flatMap(({ takes }) => takes).length - lines.length;
  const drawn = groups.map((group, at) => boxOf(group, full.get(group.id)!, places[at]!, workflowId));
  const buttons = Object.entries(ZOOM).map(
    ([word, [sign, by]]) => html`<button type="button" data-zoom="${by}" aria-label="${word}">${sign}</button> `,
  );
  return html`<p class="scripted zoom">${buttons}</p>
    <div class="drawing" role="region" aria-label="The plan, drawn; the same stands below as a list" tabindex="0">
    <svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><g class="lines">${paths}</g>${drawn}</svg>
    </div>${hidden > 0 && html`<p class="meta">${counted(hidden, 'line')} not drawn; each node names what it takes.</p>`}`;
}

/** The layout, computed in a thread so that only readers of this plan wait. */
function layoutOf(groups: readonly Group[]): Promise<Layout | undefined> {
  const boxes: Boxes = { ids: groups.map(({ id }) => id), lines: linesOf(groups), box: BOX };
  const key = JSON.stringify(boxes);
  const laid = cached.get(key) ?? inThread(boxes, LAYOUT_MS).catch(() => undefined);
  cached.delete(key);
  cached.set(key, laid);
  for (const oldest of cached.keys()) if (cached.size > PICTURE_LIMITS.layouts) cached.delete(oldest);
  return laid;
}

/** The lines of the picture, a step per rank that they cross. If too many, omits implied lines, then the longest. */
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

function boxOf({ id, entries }: Group, first: NodeDetails, { x, y }: Point, workflowId: string | undefined): Html {
  const { standing = 'pending', operator, title, key = id } = first;
  const isMany = entries.length > 1;
  const name = operator === undefined ? title : operator;
  const badge = effectText(first);
  const beside = isMany ? counted(entries.length, 'node') : operator === undefined ? oneLine(key) : id;
  const tail = [beside, badge, ...(isMany ? [standing] : tailOf(first))].filter((one) => one !== '').join('  ');
  const kind = ['node', standing, badge !== '' && 'effect', isMany && 'many'].filter(Boolean).join(' ');
  const sign = html`<tspan class="sign" aria-hidden="true">${MARKS[standing].mark} </tspan>`;
  const lines = titleLines(`${isMany ? `${entries.length} × ` : ''}${oneLine(name)}`);
  const texts = lines.map(
    (line, at) => html`<text x="13" y="${20 + LINE.height * at}">${at === 0 && sign}${line}</text>`,
  );
  const box = html`<g transform="translate(${Math.round(x - BOX.width / 2)} ${Math.round(y - BOX.height / 2)})">
    <title>${oneLine(title)}, ${standing}</title>
    <rect width="${BOX.width}" height="${BOX.height}" rx="7"/><rect class="edge" width="5" height="${BOX.height}" rx="2.5"/>
    <svg width="${BOX.width}" height="${BOX.height}">${texts}
    <text x="13" y="${21 + LINE.height * lines.length}" class="tail">${cutCharacters(tail, LINE.tail)}</text></svg></g>`;
  if (workflowId === undefined) return html`<g class="${kind}">${box}</g>`;
  const href = isMany ? `${runPath(workflowId, 'nodes')}?like=${encodeURIComponent(id)}` : nodePath(workflowId, id);
  return html`<a class="${kind}" href="${href}">${box}</a>`;
}
