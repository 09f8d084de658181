/** A thread for left-to-right layouts. */

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
  layout(graph);
  const { width, height } = graph.graph();
  const places = ids.map((id) => ({ x: graph.node(id).x, y: graph.node(id).y }));
  const side = (/** @type {string} */ id, /** @type {number} */ by) => ({
    x: graph.node(id).x + by * (box.width / 2),
    y: graph.node(id).y,
  });
  // Lines leave on the right, enter on the left, and bend around boxes between.
  const bent = graph.edges().map((/** @type {import('@dagrejs/dagre').Edge} */ edge) => {
    const bends = graph.edge(edge).points.slice(1, -1);
    return [side(edge.v, 1), ...(bends.length === 1 ? [] : bends), side(edge.w, -1)];
  });
  return { width: Math.ceil(width), height: Math.ceil(height), places, lines: bent };
}
