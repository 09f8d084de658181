/**
 * DBOS on Debian's PostgreSQL: each node a step that begins when its inputs are there. DBOS knows the steps of a
 * workflow by the order in which they were called, so that a run that is to be resumed calls them level by level.
 */

import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import { contend, each, versionIn } from '../contenders/answer.mjs';
import { resultOf } from '../contenders/node-work.mjs';
import { startPostgres } from '../../scripts/servers/postgres.mjs';

const DAY_S = 86_400;
let ran = 0;
let runs = 0;
const idOf = (run = `run-${process.pid}-${++runs}`) => run;

const asReady = DBOS.registerWorkflow(
  async (shape) => {
    const done = [];
    shape.inputs.forEach((needed, node) => {
      done[node] = Promise.all(needed.map((input) => done[input])).then((inputs) => step(shape, node, inputs));
    });
    return (await Promise.all(done)).at(-1);
  },
  { name: 'as-ready' },
);

const byLevels = DBOS.registerWorkflow(
  async (shape) => {
    const done = [];
    for (const level of levelsOf(shape)) {
      const begun = level.map((node) => {
        const inputs = shape.inputs[node].map((input) => done[input]);
        return step(shape, node, inputs).then((result) => (done[node] = result));
      });
      await Promise.all(begun);
    }
    return done.at(-1);
  },
  { name: 'by-levels' },
);

const empty = DBOS.registerWorkflow(async () => {}, { name: 'empty' });

const approved = DBOS.registerWorkflow(
  async () => {
    await DBOS.setEvent('waits', true);
    await DBOS.recv('approve', DAY_S);
    return DBOS.runStep(async () => ({ kind: 'set', records: [] }), { name: 'n0' });
  },
  { name: 'approved' },
);

function step(shape, node, inputs) {
  const work = async () => {
    const result = await resultOf(shape, node, inputs);
    ran += 1;
    return result;
  };
  return DBOS.runStep(work, { name: `n${node}` });
}

function levelsOf({ inputs }) {
  const depth = [];
  const levels = [];
  inputs.forEach((needed, node) => {
    depth[node] = 1 + Math.max(-1, ...needed.map((input) => depth[input]));
    (levels[depth[node]] ??= []).push(node);
  });
  return levels;
}

const deeds = {
  async plan({ shape, run }) {
    ran = 0;
    const from = performance.now();
    const workflow = run === undefined ? asReady : byLevels;
    const handle = await DBOS.startWorkflow(workflow, { workflowID: idOf(run) })(shape);
    const { records } = await handle.getResult();
    return { ms: performance.now() - from, ran, records: records.length };
  },
  async empty() {
    const from = performance.now();
    await (await DBOS.startWorkflow(empty, { workflowID: idOf() })()).getResult();
    return { ms: performance.now() - from };
  },
  // Launching has taken the run up again.
  async resume({ run }) {
    const from = performance.now();
    await DBOS.retrieveWorkflow(run).getResult();
    return { ms: performance.now() - from };
  },
  async approvals({ runs: count }) {
    const opened = performance.now();
    const handles = [];
    await each(count, async (at) => {
      handles[at] = await DBOS.startWorkflow(approved, { workflowID: idOf() })();
      if ((await DBOS.getEvent(handles[at].workflowID, 'waits', DAY_S)) !== true) throw new Error('it does not wait');
    });
    const from = performance.now();
    await each(count, (at) => DBOS.send(handles[at].workflowID, true, 'approve'));
    await Promise.all(handles.map((handle) => handle.getResult()));
    return { ms: performance.now() - from, facts: { openMs: Math.round(from - opened) } };
  },
};

await contend({
  async serve() {
    const { url, close: stop } = await startPostgres();
    return { place: { url }, kept: ({ run }) => keptIn(url, run), stop };
  },
  async work({ url }) {
    DBOS.setConfig({ name: 'peers', systemDatabaseUrl: url, logLevel: 'error' });
    await DBOS.launch();
    return {
      ready: {
        name: 'DBOS',
        version: versionIn(new URL('node_modules/@dbos-inc/dbos-sdk/package.json', import.meta.url)),
        label:
          'a step a node, PostgreSQL; as each is ready, which it does not recover; killed and resumed level by level',
      },
      deeds,
      close: () => DBOS.shutdown(),
    };
  },
});

async function keptIn(systemDatabaseUrl, run) {
  const client = await DBOSClient.create({ systemDatabaseUrl });
  const steps = (await client.listWorkflowSteps(run)) ?? [];
  await client.destroy();
  return steps.flatMap(({ name }) => (/^n\d+$/.test(name) ? [Number(name.slice(1))] : []));
}
