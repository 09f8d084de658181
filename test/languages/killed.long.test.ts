/** Workers of runs and Python workers that are killed at random moments: no effect is repeated, and few are asked about. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { expect, inject, onTestFinished, test } from 'vitest';
import type { OpenItem } from '../../src/protocol/index.ts';
import { approve } from '../support/crash-site.ts';
import { testFolder } from '../support/folders.ts';
import { planOf, task } from '../support/plans.ts';
import { processOf } from '../support/processes.ts';
import { killProcess, python, startProcess } from './workers.ts';

const RUNS = 50;
const program = python();
if ('missing' in program) process.stderr.write(`skipped, since there is no Python worker: ${program.missing}\n`);
const command = 'command' in program ? program.command : '';

test.skipIf('missing' in program).each(['the worker of the runs', 'the Python worker'])(
  `${RUNS} runs while %s is killed again and again`,
  async (victim) => {
    const FOLDER = testFolder('killed');
    const TASK_QUEUE = `killed-${process.pid}-${Date.now()}`;
    const OTHER_QUEUE = `${TASK_QUEUE}-python`;
    const env = { FOLDER, TASK_QUEUE, OTHER_QUEUE, BUNDLE: inject('bundlePath') };
    const hireOwn = () => startProcess(process.execPath, [processOf('languages/worker-process')], env);
    const hirePython = () => startProcess(command, ['test/languages/worker.py'], { FOLDER, TASK_QUEUE: OTHER_QUEUE });
    const connection = await Connection.connect({ address: inject('address') });
    const client = new Client({ connection });
    let [own, other] = await Promise.all([hireOwn(), hirePython()]);
    onTestFinished(async () => {
      await Promise.all([killProcess(own), killProcess(other)]);
      await connection.close();
    });
    const isOwn = victim === 'the worker of the runs';
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
    const killing = (async () => {
      for (let kills = 0; kills < 3; kills += 1) {
        await sleep(1000 + Math.random() * 5000);
        await killProcess(isOwn ? own : other);
        if (isOwn) own = await hireOwn();
        else other = await hirePython();
      }
    })();
    for (const name of names) {
      await writeFile(join(FOLDER, `${name}-before`), '');
      await sleep(Math.random() * 300);
      await writeFile(join(FOLDER, `${name}-after`), '');
    }
    await killing;
    const asked = (await Promise.all(runs.map(endOrQuestion))).filter((text) => text !== undefined);
    const lines = (await readFile(join(FOLDER, 'ledger'), 'utf8')).trim().split('\n');
    const paid = lines.map((line) => line.split(' ')[0]);
    expect(paid.length).toBe(new Set(paid).size);
    expect(paid.length).toBeGreaterThanOrEqual(RUNS - asked.length);
    process.stderr.write(`${RUNS} runs, ${paid.length} lines in the ledger, ${asked.length} questions\n`);
    if (isOwn) expect(asked).toEqual([]);
  },
);

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
