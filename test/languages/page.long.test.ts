/** The workers of docs/languages.md, as they stand there. The first build of the Go worker takes minutes. */

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { activityCapability } from '../../src/capabilities/builtin/index.ts';
import { testFolder } from '../support/folders.ts';
import { foundInDatabase } from '../support/found-in-clear.ts';
import { textsOf } from '../support/pages.ts';
import { planOf, task } from '../support/plans.ts';
import { ownRig, type RigOptions } from '../support/rig.ts';
import { goProgram, killProcess, python, startProcess, type Program } from './workers.ts';

const PAGE = 'docs/languages.md';
const [PYTHON = '', CODEC = ''] = textsOf(PAGE, 'python');
const [GO = ''] = textsOf(PAGE, 'go');

async function openPay(program: Program, args: readonly string[], env: object, taskQueue: string, options = {}) {
  if ('missing' in program) throw new Error(program.missing);
  const input = z.object({ amount: z.number(), note: z.string().optional() });
  const pay = activityCapability({
    ...{ name: 'pay', description: 'Pays.', input, output: 'value', effect: 'at-most-once' },
    ...{ activity: 'pay', taskQueue },
  });
  const rig = await ownRig({ capabilities: [pay], ...options } satisfies RigOptions);
  const worker = await startProcess(program.command, args, env, false);
  onTestFinished(() => killProcess(worker));
  return rig;
}

test.each(['python', 'go'] as const)('the worker in %s pays what was approved, and refuses more', async (language) => {
  const program = language === 'go' ? goProgram(GO) : python();
  if ('missing' in program) return void process.stderr.write(`skipped: ${program.missing}\n`);
  const rig = await openPay(program, language === 'go' ? [] : ['-c', PYTHON], {}, language);
  const result = await rig.run(planOf(task('pay', { amount: 120 })));
  expect(await rig.read(result.result?.ref)).toMatchObject({ value: { by: language, paid: 120 } });
  const refused = await rig.startApproved(planOf(task('pay', { amount: 501 })));
  await expect(refused.result()).rejects.toThrow();
  expect(JSON.stringify(await refused.query('nodes'))).toContain('"type":"NotApplied"');
});

test.each(['with', 'without'])('with encryption, a worker %s the codec', async (has) => {
  const program = python();
  if ('missing' in program) return void process.stderr.write(`skipped: ${program.missing}\n`);
  const SECRET = `secret${randomBytes(9).toString('hex')}`;
  const QUEUE = `python-${has}`;
  const folder = testFolder('codec');
  const source = PYTHON.replace('the limit is 500', `${SECRET} limit`)
    .replace('"by": "python"', `"by": "${SECRET} result"`)
    .replace('task_queue="python"', `task_queue="${QUEUE}"`);
  const connected = source.replace('"localhost:7233")', '"localhost:7233"), data_converter=converter');
  expect(connected).not.toBe(source);
  await writeFile(join(folder, 'codec.py'), CODEC);
  const text = has === 'with' ? `from codec import converter\n${connected}` : source;
  const key = randomBytes(32).toString('base64');
  const env = { PYTHONPATH: folder, PLANNING_KEY_1: key };
  const encryption = { keys: { first: key }, current: 'first' };
  const rig = await openPay(program, ['-c', text], env, QUEUE, { encryption });
  const pay = (amount: number) => rig.startApproved(planOf(task('pay', { amount, note: `${SECRET} note` })));
  if (has === 'without') {
    const run = await pay(120);
    const { text: question } = await rig.opened(run, ({ kind }) => kind === 'uncertain');
    expect(question).toContain('Failed decoding arguments');
    await run.terminate();
  } else {
    const result = (await (await pay(120)).result()) as { result: { ref: string } };
    expect(await rig.read(result.result.ref)).toMatchObject({ value: { by: `${SECRET} result`, paid: 120 } });
    const refused = await pay(501);
    await expect(refused.result()).rejects.toThrow();
    expect(JSON.stringify(await refused.query('nodes'))).toContain(`${SECRET} limit`);
  }
  expect(await foundInDatabase(inject('databaseFile'), SECRET)).toEqual([]);
});
