import { parentPort } from 'node:worker_threads';
import { Graph, layout } from '@dagrejs/dagre';

const LAYOUT = /** @type {const} */ ({ rankdir: 'LR', ranker: 'tight-tree' });
const SPACE = { nodesep: 14, ranksep: 44, marginx: 10, marginy: 10 };

parentPort?.on('message', (boxes) => parentPort?.postMessage(layOut(boxes)));
parentPort?.postMessage('ready');

/** @param {import('./picture.ts').Boxes} boxes @returns {import('./picture.ts').Layout} */
function layOut({ ids, lines, box }) {
  const graph = new Graph().setGraph({ ...LAYOUT, ...SPACE }).setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...box });
  for (const [from, to] of lines) graph.setEdge(from, to);
  layout(graph, { customOrder: (/** @type {Graph} */ ranked) => orderAsPlanned(ranked, ids, lines) });
  const { width, height } = graph.graph();
  const side = (/** @type {string} */ id, /** @type {number} */ by) => ({
    x: graph.node(id).x + by * (box.width / 2),
    y: graph.node(id).y,
  });
  // Lines leave a box on its right, enter on the left, and bend around the boxes between the two.
  const bent = graph.edges().map((/** @type {import('@dagrejs/dagre').Edge} */ edge) => {
    const bends = graph.edge(edge).points.slice(1, -1);
    return [side(edge.v, 1), ...(bends.length === 1 ? [] : bends), side(edge.w, -1)];
  });
  // Lines may bend above and below all boxes.
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
 * Orders each rank by first leaves, so that in a tree no lines cross and the left operand is above the right one.
 * @param {Graph} graph @param {readonly string[]} ids in plan order @param {readonly (readonly [from: string, to:
 * string])[]} lines
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
