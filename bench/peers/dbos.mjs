/**
 * DBOS on Debian's PostgreSQL: each node a step that begins when its inputs are there. Such a workflow is not
 * recovered after a crash, since DBOS knows its steps by the order in which they were called.
 */

import { DBOS } from '@dbos-inc/dbos-sdk';
import { answer, sleep } from '../contenders/answer.mjs';
import { startPostgres } from './postgres.mjs';

let ran = 0;
const plan = DBOS.registerWorkflow(
  async ({ inputs, naps }) => {
    const done = [];
    inputs.forEach((needed, node) => {
      done[node] = Promise.all(needed.map((input) => done[input])).then(() =>
        DBOS.runStep(() => work(naps[node]), { name: `n${node}` }),
      );
    });
    return (await Promise.all(done)).at(-1);
  },
  { name: 'plan' },
);

async function work(ms) {
  if (ms > 0) await sleep(ms);
  ran += 1;
  return { kind: 'set', records: [] };
}

const postgres = await startPostgres();
DBOS.setConfig({ name: 'peers', systemDatabaseUrl: postgres.url, logLevel: 'error' });
await DBOS.launch();
let run = 0;
await answer({ name: 'DBOS', label: '5.3.0, a step a node, PostgreSQL' }, async (shape) => {
  ran = 0;
  const from = performance.now();
  const handle = await DBOS.startWorkflow(plan, { workflowID: `run-${++run}` })(shape);
  await handle.getResult();
  return { ms: performance.now() - from, ran };
});
await DBOS.shutdown();
await postgres.stop();
