/** A plan drawn as a tree, its root on the left, laid out here: a browser only shows it. */

import { hierarchy, tree } from 'd3-hierarchy';
import { badgeOf, MARKS, placeName, tailOf, walk, type OutlineEntry } from '../../language/outline/index.ts';
import { outlineOf, type CompiledPlan } from '../../language/plan/index.ts';
import { cutCharacters, oneLine } from '../../language/text/index.ts';
import { entryOfNode } from '../../operations/words/index.ts';
import type { SeenNode } from '../../operations/index.ts';
import { html, type Html } from '../markup.ts';

/** Places of a plan that is drawn, a node that is taken twice counted twice; a larger one has its rows alone. */
const DRAWN = 90;
/** Levels of one that is drawn. */
const LEVELS = 12;
const BOX = { width: 206, height: 46 };
const GAP = { across: 46, down: 14 };
const MARGIN = 4;
/** Characters that a box holds. */
const LINE = { title: 26, tail: 31 };

interface Place {
  readonly entry: OutlineEntry;
  readonly seen: boolean;
  readonly below: Place[];
}

interface Drawn {
  readonly plan?: CompiledPlan | undefined;
  readonly nodes?: readonly SeenNode[];
}

/** '' for a plan that is not known, or too large. */
export function treeOf({ plan, nodes = [] }: Drawn): Html | '' {
  if (plan === undefined || Object.keys(plan.nodesById).length > DRAWN) return '';
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const { entries } = outlineOf(plan, { words: 'none', more: (id) => factsOf(byId.get(id)) });
  const taken = new Set([...entries.values()].flatMap(({ takes }) => takes));
  const [root, ...others] = [plan.root, ...[...entries.keys()].filter((id) => id !== plan.root && !taken.has(id))];
  const places = walk([root!], (id) => entries.get(id)?.takes ?? [], 0);
  // A plan with several ends has no one tree.
  if (others.length > 0 || places.length > DRAWN || places.some(({ depth }) => depth >= LEVELS)) return '';
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
  const laid = tree<Place>()
    .nodeSize(size)
    .separation(() => 1)(hierarchy(root, ({ below }) => below));
  const nodes = laid.descendants();
  const top = Math.min(...nodes.map(({ x }) => x)) - MARGIN;
  const height = Math.max(...nodes.map(({ x }) => x)) + BOX.height + MARGIN - top;
  const width = Math.max(...nodes.map(({ y }) => y)) + BOX.width + 2 * MARGIN;
  const at = ({ x, y }: { x: number; y: number }) => ({ left: Math.round(y + MARGIN), top: Math.round(x - top) });
  const lines = laid.links().map(({ source, target }) => {
    const [from, to] = [at(source), at(target)];
    const [x, y] = [from.left + BOX.width, from.top + BOX.height / 2];
    const [ex, ey] = [to.left, to.top + BOX.height / 2];
    const mid = Math.round((x + ex) / 2);
    return html`<path d="M${x} ${y}C${mid} ${y} ${mid} ${ey} ${ex} ${ey}" />`;
  });
  const boxes = nodes.map((node) => boxOf(node.data, at(node)));
  return html`<div
    class="drawing"
    role="region"
    aria-label="The plan, drawn; the same stands below as a list"
    tabindex="0"
  >
    <svg
      width="${Math.ceil(width)}"
      height="${Math.ceil(height)}"
      viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"
      xmlns="http://www.w3.org/2000/svg"
    >
      <g class="lines" aria-hidden="true">${lines}</g>
      ${boxes}
    </svg>
  </div>`;
}

function boxOf({ entry, seen }: Place, { left, top }: { readonly left: number; readonly top: number }): Html {
  const { standing, effect = 'read', title } = entry;
  const name = placeName(entry);
  const mark = standing !== undefined && html`<tspan aria-hidden="true">${MARKS[standing].mark} </tspan>`;
  const badge = badgeOf(entry);
  const tail = seen ? 'shown elsewhere' : [badge, ...tailOf(entry)].filter((part) => part !== '').join(' ');
  return html`<a href="#n-${entry.id}"
    ><g
      class="box ${standing ?? 'plain'} ${effect !== 'read' && 'effect'} ${seen && 'again'}"
      transform="translate(${left} ${top})"
      ><rect width="${BOX.width}" height="${BOX.height}" rx="5" /><text x="8" y="18"
        >${mark}${cutCharacters(oneLine(title), LINE.title)}</text><text x="8" y="36" class="tail">${cutCharacters(oneLine(`${name} ${tail}`), LINE.tail)}</text></g></a>`;
}
