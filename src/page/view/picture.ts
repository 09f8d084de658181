/** A plan drawn from left to right in the order of work, each node once, laid out here: a browser only shows it. */

import { Graph, layout, type GraphLabel } from '@dagrejs/dagre';
import { badgeOf, MARKS, tailOf } from '../../plan/outline/index.ts';
import { counted, cutCharacters, oneLine } from '../../plan/text/index.ts';
import { html, type Html } from '../markup.ts';
import { nodePath, runPath } from '../paths.ts';
import { ranksOf, type Group } from './fold.ts';

/**
 * Steps of all lines together, and layouts that are kept.
 * @bound .steps steps of all lines of a picture
 * @beyond lines that another way tells as well are left out, then the longest, and counted
 * @bound .layouts pictures that are kept laid out
 * @beyond laid out again
 */
const MOST = { steps: 200, layouts: 50 };
const BOX = { width: 226, height: 48 };
/** Characters that a line of a box holds. */
const LINE = { title: 27, tail: 35 };
const LAYOUT = { rankdir: 'LR', nodesep: 14, ranksep: 44, marginx: 10, marginy: 10 };

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, Point>;
  readonly lines: readonly (readonly Point[])[];
}

/** The same plan is drawn again with each change of a state. */
const known = new Map<string, Layout>();

export function pictureOf(groups: readonly Group[], workflowId: string | undefined): Html | '' {
  if (groups.length === 0) return '';
  const { width, height, boxes, lines } = layoutOf(groups);
  const paths = lines.map((points) => html`<path d="${curve(points)}"/>`);
  const hidden = groups.flatMap(({ takes }) => takes).length - lines.length;
  const drawn = groups.map((group) => boxOf(group, boxes.get(group.id)!, workflowId));
  const ways = [0.8, 1.25, 0].map((by, at) => [by, ['smaller', 'larger', 'whole'][at]] as const);
  const buttons = ways.map(([by, word]) => html`<button type="button" data-zoom="${by}">${word}</button> `);
  return html`<p class="scripted">${buttons}</p>
    <div class="drawing" role="region" aria-label="The plan, drawn; the same stands below as a list" tabindex="0">
    <svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><g class="lines">${paths}</g>${drawn}</svg>
    </div>${hidden > 0 && html`<p class="meta">${counted(hidden, 'line')} not drawn; each node names what it takes.</p>`}`;
}

function layoutOf(groups: readonly Group[]): Layout {
  const lines = linesOf(groups);
  const key = JSON.stringify([groups.map(({ id }) => id), lines]);
  const laid = known.get(key) ?? layOut(groups, lines);
  known.delete(key);
  known.set(key, laid);
  for (const oldest of known.keys()) if (known.size > MOST.layouts) known.delete(oldest);
  return laid;
}

type Line = readonly [from: string, to: string];

/**
 * A line is laid out a step at a time. Where that would take long, the lines that another way through the plan tells as
 * well are left out, then the longest.
 */
function linesOf(groups: readonly Group[]): readonly Line[] {
  const ranks = ranksOf(groups);
  const stepsOf = ([from, to]: Line) => Math.max(1, (ranks.get(to) ?? 0) - (ranks.get(from) ?? 0));
  const all = groups.flatMap(({ id, takes }) => takes.map((from): Line => [from, id]));
  if (all.reduce((sum, line) => sum + stepsOf(line), 0) <= MOST.steps) return all;
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
    .filter((line) => (steps += stepsOf(line)) <= MOST.steps);
}

function layOut(groups: readonly Group[], lines: readonly (readonly [string, string])[]): Layout {
  const graph = new Graph<GraphLabel, Point>().setGraph(LAYOUT).setDefaultEdgeLabel(() => ({}));
  for (const { id } of groups) graph.setNode(id, { ...BOX });
  for (const [from, to] of lines) graph.setEdge(from, to);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const side = (id: string, by: number): Point => ({ x: graph.node(id).x + by * (BOX.width / 2), y: graph.node(id).y });
  return {
    ...{ width: Math.ceil(width), height: Math.ceil(height) },
    boxes: new Map(groups.map(({ id }) => [id, graph.node(id)])),
    // A line goes from the right of one box to the left of the other, round the boxes between them.
    lines: graph.edges().map((edge: { readonly v: string; readonly w: string }) => {
      const bends: readonly Point[] = graph.edge(edge).points.slice(1, -1);
      const far = bends.length === 1 ? [] : bends;
      return [side(edge.v, 1), ...far, side(edge.w, -1)];
    }),
  };
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

function boxOf({ id, entries }: Group, { x, y }: Point, workflowId: string | undefined): Html {
  const [first] = entries;
  if (first === undefined) return html``;
  const { standing = 'pending', operator, title, key = id } = first;
  const isMany = entries.length > 1;
  const name = operator === undefined ? title : operator;
  const badge = badgeOf(first);
  const beside = isMany ? counted(entries.length, 'node') : operator === undefined ? oneLine(key) : id;
  const tail = [beside, badge, ...(isMany ? [standing] : tailOf(first))].filter((one) => one !== '').join('  ');
  const kind = ['node', standing, badge !== '' && 'effect', isMany && 'many'].filter(Boolean).join(' ');
  const sign = html`<tspan class="sign" aria-hidden="true">${MARKS[standing].mark} </tspan>`;
  const box = html`<g transform="translate(${Math.round(x - BOX.width / 2)} ${Math.round(y - BOX.height / 2)})">
    <title>${oneLine(title)}, ${standing}</title>
    <rect width="${BOX.width}" height="${BOX.height}" rx="7"/><rect class="edge" width="5" height="${BOX.height}" rx="2.5"/>
    <text x="13" y="20">${sign}${cutCharacters(`${isMany ? `${entries.length} × ` : ''}${oneLine(name)}`, LINE.title)}</text>
    <text x="13" y="38" class="tail">${cutCharacters(tail, LINE.tail)}</text></g>`;
  if (workflowId === undefined) return html`<g class="${kind}">${box}</g>`;
  const href = isMany ? `${runPath(workflowId, 'nodes')}?like=${encodeURIComponent(id)}` : nodePath(workflowId, id);
  return html`<a class="${kind}" href="${href}">${box}</a>`;
}
