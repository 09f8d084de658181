/** The workers of docs/languages.md, as they stand there. The first build of the Go worker takes minutes. */

import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { activityCapability } from '../../src/capabilities/builtin/index.ts';
import { textsOf } from '../support/pages.ts';
import { planOf, task } from '../support/plans.ts';
import { openRig } from '../support/rig.ts';
import { goProgram, killProcess, python, startProcess } from './workers.ts';

const PAGE = 'docs/languages.md';

test.each(['python', 'go'] as const)('the worker in %s pays what was approved, and refuses more', async (language) => {
  const [source = ''] = textsOf(PAGE, language);
  const program = language === 'go' ? goProgram(source) : python();
  if ('missing' in program) return void process.stderr.write(`skipped: ${program.missing}\n`);
  const input = z.object({ amount: z.number() });
  const pay = activityCapability({
    ...{ name: 'pay', description: 'Pays.', input, output: 'value', effect: 'at-most-once' },
    ...{ activity: 'pay', taskQueue: language },
  });
  const rig = await openRig({ capabilities: [pay] });
  onTestFinished(() => rig.close());
  await rig.startWorker();
  const worker = await startProcess(program.command, language === 'go' ? [] : ['-c', source], {}, false);
  onTestFinished(() => killProcess(worker));
  const result = await rig.run(planOf(task('pay', { amount: 120 })));
  expect(await rig.read(result.result?.ref)).toMatchObject({ value: { by: language, paid: 120 } });
  const refused = await rig.startApproved(planOf(task('pay', { amount: 501 })));
  await expect(refused.result()).rejects.toThrow();
  expect(JSON.stringify(await refused.query('nodes'))).toContain('"type":"NotApplied"');
});
