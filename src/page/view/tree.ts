/** A plan drawn as a tree, its root on the left, laid out here: a browser only shows it. */

import { hierarchy, tree } from 'd3-hierarchy';
import { badgeOf, MARKS, placeName, tailOf, walk, type OutlineEntry } from '../../plan/outline/index.ts';
import { outlineOf, type CompiledPlan } from '../../plan/index.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';
import { entryOfNode } from '../../operations/words/index.ts';
import { html, type Html } from '../markup.ts';
import type { SeenNode } from '../../protocol/index.ts';

/**
 * Boxes and levels of a plan that is drawn, a node that is taken twice counted twice; a larger one has its rows
 * alone.
 * @bound .boxes boxes of a drawing
 * @beyond rows alone
 * @bound .levels levels of a drawing
 * @beyond rows alone
 */
const DRAWN = { boxes: 90, levels: 12 };
const BOX = { width: 206, height: 46 };
const GAP = { across: 46, down: 14 };
const MARGIN = 4;
/** Characters that a line of a box holds. */
const LINE = { title: 26, tail: 29 };

interface Place {
  readonly entry: OutlineEntry;
  /** It is drawn elsewhere, with what is below it. */
  readonly seen: boolean;
  readonly below: Place[];
}

interface Drawn {
  readonly plan?: CompiledPlan | undefined;
  readonly nodes: readonly SeenNode[];
}

/** '' for a plan that is not known, too large, or no one tree. */
export function treeOf({ plan, nodes }: Drawn): Html | '' {
  if (plan === undefined || Object.keys(plan.nodesById).length > DRAWN.boxes) return '';
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const { entries } = outlineOf(plan, { words: 'none', more: (id) => factsOf(byId.get(id)) });
  const taken = new Set([...entries.values()].flatMap(({ takes }) => takes));
  const ends = [...entries.keys()].filter((id) => !taken.has(id));
  const places = walk([plan.root], (id) => entries.get(id)?.takes ?? [], 0);
  if (ends.length > 1 || places.length > DRAWN.boxes || places.some(({ depth }) => depth >= DRAWN.levels)) return '';
  const path: Place[] = [];
  for (const { id, depth, seen } of places) {
    const place: Place = { entry: entries.get(id)!, seen, below: [] };
    path[depth - 1]?.below.push(place);
    path[depth] = place;
  }
  return draw(path[0]!);
}

function factsOf(node: SeenNode | undefined): Partial<OutlineEntry> {
  if (node === undefined) return {};
  const { title: _title, takes: _takes, ms: _ms, ...facts } = entryOfNode(node);
  return facts;
}

function draw(root: Place): Html {
  const size: [number, number] = [BOX.height + GAP.down, BOX.width + GAP.across];
  const layout = tree<Place>()
    .nodeSize(size)
    .separation(() => 1);
  const laid = layout(hierarchy(root, ({ below }) => below));
  const nodes = laid.descendants();
  const [xs, ys] = [nodes.map(({ x }) => x), nodes.map(({ y }) => y)];
  const top = Math.min(...xs) - MARGIN;
  const width = Math.ceil(Math.max(...ys)) + BOX.width + 2 * MARGIN;
  const height = Math.ceil(Math.max(...xs) - top) + BOX.height + MARGIN;
  const at = ({ x, y }: { readonly x: number; readonly y: number }): readonly [number, number] => [
    Math.round(y + MARGIN),
    Math.round(x - top),
  ];
  const lines = laid.links().map(({ source, target }) => {
    const [[left, from], [right, to]] = [at(source), at(target)];
    const [x, y, end] = [left + BOX.width, from + BOX.height / 2, to + BOX.height / 2];
    const middle = Math.round((x + right) / 2);
    return html`<path d="M${x} ${y}C${middle} ${y} ${middle} ${end} ${right} ${end}"/>`;
  });
  const boxes = nodes.map((node) => boxOf(node.data, at(node)));
  const drawing = html`<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><g class="lines">${lines}</g>${boxes}</svg>`;
  return html`<div class="drawing" role="region" aria-label="The plan, drawn; the same stands below as a list" tabindex="0">${drawing}</div>`;
}

function boxOf({ entry, seen }: Place, [left, top]: readonly [number, number]): Html {
  const { id, standing, effect = 'read', title } = entry;
  const mark = standing !== undefined && html`<tspan aria-hidden="true">${MARKS[standing].mark} </tspan>`;
  const beside = seen ? 'shown elsewhere' : [badgeOf(entry), ...tailOf(entry)].join(' ');
  const tail = cutCharacters(oneLine(`${placeName(entry)} ${beside}`), LINE.tail);
  const kind = [standing, effect !== 'read' ? 'effect' : '', seen ? 'again' : ''].join(' ');
  const words = html`<text x="8" y="18">${mark}${cutCharacters(oneLine(title), LINE.title)}</text><text x="8" y="36" class="tail">${tail}</text>`;
  const box = html`<rect width="${BOX.width}" height="${BOX.height}" rx="5"/>${words}`;
  return html`<a href="#n-${id}"><g class="${kind}" transform="translate(${left} ${top})">${box}</g></a>`;
}
