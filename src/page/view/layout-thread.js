import { parentPort } from 'node:worker_threads';
import { Graph, layout } from '@dagrejs/dagre';

const LAYOUT = /** @type {const} */ ({ rankdir: 'LR', ranker: 'tight-tree' });
const SPACE = { nodesep: 14, ranksep: 64, marginx: 20, marginy: 10 };

parentPort?.on('message', (boxes) => parentPort?.postMessage(layOut(boxes)));
parentPort?.postMessage('ready');

/** Maximum number of effects with a rank of their own. In longer lists the picture would be too wide to read. */
const MAX_FLOWING = 5;

/** @param {import('./picture.ts').Boxes} boxes @returns {import('./picture.ts').Layout} */
function layOut({ ids, sizes, lines, after }) {
  const graph = new Graph().setGraph({ ...LAYOUT, ...SPACE }).setDefaultEdgeLabel(() => ({}));
  for (const [at, id] of ids.entries()) graph.setNode(id, { ...sizes[at] });
  for (const [from, to] of lines) graph.setEdge(from, to);
  if (after.length <= MAX_FLOWING) for (const [from, to] of after) graph.setEdge(from, to);
  layout(graph, { customOrder: (/** @type {Graph} */ ranked) => orderAsPlanned(ranked, ids, lines) });
  const { width, height } = graph.graph();
  const side = (/** @type {string} */ id, /** @type {number} */ by) => {
    const { x, y, width: wide } = graph.node(id);
    return { x: x + by * (wide / 2), y };
  };
  // Lines leave a box on the right, enter on the left, and bend around boxes in between.
  const bent = [...lines, ...after].map(([from, to]) => {
    if (!graph.hasEdge(from, to)) return straight(graph.node(from), graph.node(to));
    const bends = graph.edge(from, to).points.slice(1, -1);
    return [side(from, 1), ...(bends.length === 1 ? [] : bends), side(to, -1)];
  });
  // Lines may bend above and below all boxes, so the height of the picture includes them.
  const ys = bent.flat().map((/** @type {{ y: number }} */ { y }) => y);
  const top = Math.max(0, SPACE.marginy - Math.min(...ys));
  const moved = (/** @type {{ x: number, y: number }} */ { x, y }) => ({ x, y: y + top });
  return {
    width: Math.ceil(width),
    height: Math.ceil(Math.max(height, ...ys.map((/** @type {number} */ y) => y + SPACE.marginy)) + top),
    places: ids.map((id) => moved(graph.node(id))),
    lines: bent.map((/** @type {{ x: number, y: number }[]} */ points) => points.map(moved)),
  };
}

/**
 * A straight line between two boxes, from the sides that face each other.
 * @typedef {{ x: number, y: number, width: number, height: number }} Box
 * @param {Box} from
 * @param {Box} to
 */
function straight(from, to) {
  const [right, down] = [Math.sign(to.x - from.x), to.x === from.x ? Math.sign(to.y - from.y) : 0];
  const at = (/** @type {Box} */ { x, y, width, height }, /** @type {1 | -1} */ by) => ({
    x: x + (by * right * width) / 2,
    y: y + (by * down * height) / 2,
  });
  return [at(from, 1), at(to, -1)];
}

/**
 * Orders each rank by the first leaf below each box. In a tree no lines cross then, and the left operand is above the
 * right one.
 * @param {Graph} graph
 * @param {readonly string[]} ids in plan order
 * @param {readonly (readonly [from: string, to: string])[]} lines
 */
function orderAsPlanned(graph, ids, lines) {
  const firsts = new Map(ids.map((id, at) => [id, at]));
  for (const [from, to] of lines) firsts.set(to, Math.min(firsts.get(from) ?? 0, firsts.get(to) ?? 0));
  const firstOf = (/** @type {string} */ name) => firsts.get(graph.node(name).edgeObj?.v ?? name) ?? 0;
  const used = new Map();
  for (const name of graph
    .nodes()
    .toSorted((/** @type {string} */ a, /** @type {string} */ b) => firstOf(a) - firstOf(b))) {
    const node = graph.node(name);
    node.order = used.get(node.rank) ?? 0;
    used.set(node.rank, node.order + 1);
  }
}
