/** LangGraph.js with its graph API: a graph node for each node of the plan, joined by its edges; a checkpoint a superstep. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { answer, sleep } from '../contenders/answer.mjs';

// A warning for each of many nodes at once would be measured too.
process.removeAllListeners('warning');
const folder = mkdtempSync(join(tmpdir(), 'planwright-langgraph-'));
const checkpointer = SqliteSaver.fromConnString(join(folder, 'checkpoints.db'));
const State = Annotation.Root({
  results: Annotation({ reducer: (before, more) => ({ ...before, ...more }), default: () => ({}) }),
});

let run = 0;
await answer(
  { name: 'LangGraph.js', label: '1.7.3, a graph node a node, SqliteSaver (a checkpoint waits for no disk)' },
  async ({ inputs, naps }) => {
    let ran = 0;
    const from = performance.now();
    const graph = new StateGraph(State);
    inputs.forEach((_, node) =>
      graph.addNode(`n${node}`, async () => {
        if (naps[node] > 0) await sleep(naps[node]);
        ran += 1;
        return { results: { [node]: { kind: 'set', records: [] } } };
      }),
    );
    inputs.forEach((needed, node) =>
      graph.addEdge(needed.length === 0 ? START : needed.map((input) => `n${input}`), `n${node}`),
    );
    graph.addEdge(`n${inputs.length - 1}`, END);
    const app = graph.compile({ checkpointer });
    await app.invoke(
      {},
      { configurable: { thread_id: `run-${++run}` }, recursionLimit: inputs.length + 10, durability: 'sync' },
    );
    return { ms: performance.now() - from, ran };
  },
);
rmSync(folder, { recursive: true, force: true });
