/** Workers of runs, Python workers and Temporal servers that are killed at random moments: no effect is repeated. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { OpenItem } from '../../src/protocol/index.ts';
import { startOwnServer } from '../faults/server.ts';
import { approve } from '../support/crash-site.ts';
import { testFolder } from '../support/folders.ts';
import { planOf, task } from '../support/plans.ts';
import { processOf } from '../support/processes.ts';
import { killProcess, python, startProcess } from './workers.ts';

const RUNS = 100;
const KILLS = 6;
const program = python();
if ('missing' in program) process.stderr.write(`skipped, since there is no Python worker: ${program.missing}\n`);
const command = 'command' in program ? program.command : '';

const VICTIMS = ['the worker of the runs', 'the Python worker', 'the Temporal server', 'any of the three'] as const;

test.skipIf('missing' in program).each(VICTIMS)(`${RUNS} runs while %s is killed again and again`, async (victim) => {
  const FOLDER = testFolder('killed');
  const TASK_QUEUE = `killed-${process.pid}-${Date.now()}`;
  const OTHER_QUEUE = `${TASK_QUEUE}-python`;
  const server = await startOwnServer();
  const TEMPORAL_ADDRESS = server.address;
  // While the server is away, no heartbeat reaches it, and its timers go on.
  const HEARTBEAT_MS = victim === 'the Python worker' ? '3000' : '60000';
  const env = { FOLDER, TASK_QUEUE, OTHER_QUEUE, TEMPORAL_ADDRESS, HEARTBEAT_MS, BUNDLE: inject('bundlePath') };
  const hireOwn = () => startProcess(process.execPath, [processOf('languages/worker-process')], env);
  const hirePython = () =>
    startProcess(command, ['test/languages/worker.py'], { FOLDER, TEMPORAL_ADDRESS, TASK_QUEUE: OTHER_QUEUE });
  const connection = await Connection.connect({ address: TEMPORAL_ADDRESS });
  const client = new Client({ connection });
  let [own, other] = await Promise.all([hireOwn(), hirePython()]);
  onTestFinished(async () => {
    await Promise.all([killProcess(own), killProcess(other)]);
    await connection.close();
  });
  const names = Array.from({ length: RUNS }, (_, index) => `name-${index}`);
  const start = async (name: string) => {
    const plan = planOf(task('pay', { name, before: `${name}-before`, after: `${name}-after` }));
    const run = await client.workflow.start('planWorkflow', {
      ...{ taskQueue: TASK_QUEUE, workflowId: `${TASK_QUEUE}-${name}`, args: [plan] },
    });
    await approve(run);
    return run;
  };
  const runs = await Promise.all(names.map(start));
  const kills = {
    async 'the worker of the runs'() {
      await killProcess(own);
      own = await hireOwn();
    },
    async 'the Python worker'() {
      await killProcess(other);
      other = await hirePython();
    },
    'the Temporal server': () => server.crash(Math.random() * 3000),
  };
  const killing = (async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(1000 + Math.random() * 3000);
      await (victim === 'any of the three' ? Object.values(kills)[kill % 3]! : kills[victim])();
    }
  })();
  for (const name of names) {
    await writeFile(join(FOLDER, `${name}-before`), '');
    await sleep(Math.random() * 200);
    await writeFile(join(FOLDER, `${name}-after`), '');
  }
  await killing;
  const asked = (await Promise.all(runs.map(endOrQuestion))).filter((text) => text !== undefined);
  const lines = (await readFile(join(FOLDER, 'ledger'), 'utf8')).trim().split('\n');
  const paid = lines.map((line) => line.split(' ')[0]);
  process.stderr.write(`${RUNS} runs, ${paid.length} lines in the ledger, ${asked.length} questions (${victim})\n`);
  expect(paid.length).toBe(new Set(paid).size);
  expect(paid.length).toBeGreaterThanOrEqual(RUNS - asked.length);
  // Nobody knows whether a killed Python worker has paid, or whether a task reached it that a killed server sent.
  if (victim === 'the worker of the runs') expect(asked).toEqual([]);
});

/** Undefined at the end of a run; the text of the question if a person has to say what happened. */
async function endOrQuestion(run: WorkflowHandle): Promise<string | undefined> {
  for (;;) {
    if ((await run.describe()).status.name !== 'RUNNING') return void (await run.result());
    const items = await run.query<readonly OpenItem[]>('questions').catch(() => []);
    const uncertain = items.find(({ kind }) => kind === 'uncertain');
    if (uncertain !== undefined) return 'text' in uncertain ? uncertain.text : 'uncertain';
    await sleep(200);
  }
}
