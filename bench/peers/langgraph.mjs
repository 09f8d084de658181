/** LangGraph.js with its graph API: a graph node for each node of the plan, joined by its edges; a checkpoint a superstep. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { contend, each, versionIn } from '../contenders/answer.mjs';
import { resultOf } from '../contenders/node-work.mjs';

// A warning for each of many nodes at once would be measured too.
process.removeAllListeners('warning');

const RESULTS = 'results';
const State = Annotation.Root({
  [RESULTS]: Annotation({ reducer: (before, more) => ({ ...before, ...more }), default: () => ({}) }),
});
let ran = 0;
let runs = 0;
const idOf = (run = `run-${process.pid}-${++runs}`) => run;

function graphOf(shape, checkpointer) {
  const { inputs } = shape;
  const graph = new StateGraph(State);
  inputs.forEach((needed, node) =>
    graph.addNode(`n${node}`, async ({ results }) => {
      const given = needed.map((input) => results[input]);
      const result = await resultOf(shape, node, given);
      ran += 1;
      return { results: { [node]: result } };
    }),
  );
  inputs.forEach((needed, node) =>
    graph.addEdge(needed.length === 0 ? START : needed.map((input) => `n${input}`), `n${node}`),
  );
  graph.addEdge(`n${inputs.length - 1}`, END);
  return graph.compile({ checkpointer });
}

const configOf = (run, nodes) => ({
  configurable: { thread_id: run },
  recursionLimit: nodes + 10,
  durability: 'sync',
});

const deedsOf = (checkpointer) => ({
  async plan({ shape, run }) {
    ran = 0;
    const nodes = shape.inputs.length;
    const from = performance.now();
    const { results } = await graphOf(shape, checkpointer).invoke({}, configOf(idOf(run), nodes));
    return { ms: performance.now() - from, ran, records: results[nodes - 1].records.length };
  },
  async empty() {
    const from = performance.now();
    const graph = new StateGraph(State)
      .addNode('n0', () => ({}))
      .addEdge(START, 'n0')
      .addEdge('n0', END);
    await graph.compile({ checkpointer }).invoke({}, configOf(idOf(), 1));
    return { ms: performance.now() - from };
  },
  async resume({ shape, run }) {
    const from = performance.now();
    await graphOf(shape, checkpointer).invoke(null, configOf(run, shape.inputs.length));
    return { ms: performance.now() - from };
  },
  async approvals({ runs: count }) {
    const opened = performance.now();
    const asks = () => ({ results: { 0: { kind: 'set', records: interrupt('approve') === true ? [] : ['refused'] } } });
    const graph = new StateGraph(State).addNode('n0', asks).addEdge(START, 'n0').addEdge('n0', END);
    const app = graph.compile({ checkpointer });
    const configs = Array.from({ length: count }, () => configOf(idOf(), 1));
    await each(count, (at) => app.invoke({}, configs[at]));
    const from = performance.now();
    await each(count, async (at) => {
      const { results } = await app.invoke(new Command({ resume: true }), configs[at]);
      if (results[0]?.records.length !== 0) throw new Error(`run ${at} was not approved`);
    });
    return { ms: performance.now() - from, facts: { openMs: Math.round(from - opened) } };
  },
});

await contend({
  async serve() {
    const folder = mkdtempSync(join(tmpdir(), 'planwright-langgraph-'));
    const file = join(folder, 'checkpoints.db');
    return {
      place: { file },
      kept: ({ run }) => keptIn(file, run),
      stop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  async work({ file }) {
    return {
      ready: {
        name: 'LangGraph.js',
        version: versionIn(new URL('node_modules/@langchain/langgraph/package.json', import.meta.url)),
        label: 'a graph node a node, SqliteSaver (a checkpoint waits for no disk); its smallest run has one node',
      },
      deeds: deedsOf(SqliteSaver.fromConnString(file)),
      close: async () => {},
    };
  },
});

/** The results of the newest checkpoint, and those that nodes of its superstep have written since. */
async function keptIn(file, run) {
  const saver = SqliteSaver.fromConnString(file);
  const tuple = await saver.getTuple({ configurable: { thread_id: run } });
  saver.db.close();
  const written = (tuple?.pendingWrites ?? []).filter(([, channel]) => channel === RESULTS).map(([, , value]) => value);
  const all = Object.assign({}, tuple?.checkpoint.channel_values[RESULTS], ...written);
  return Object.keys(all).map(Number);
}
