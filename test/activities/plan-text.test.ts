import { expect, test } from 'vitest';
import { PLAN_TEXT_BYTES } from '../../src/wire/contract/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { combine, task } from '../support/plans.ts';
import { openActivities } from './rig.ts';

const pay = writes('pay', 'at-most-once', []);

test('one long node hides neither its own effect nor the nodes after it', async () => {
  const rig = await openActivities([ids, pay]);
  const long = { ...task('pay', { value: 'x' }), hint: 'h'.repeat(9_000) };
  const { text } = await rig.compiled({ goal: 'Pay', plan: combine('UNION', long, task('ids', { ids: ['a'] })) });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PLAN_TEXT_BYTES);
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/^node_3: Keep /),
    expect.stringMatching(/^├─ node_1: Carry out .*…h*".* \[capability pay@.* at-most-once\]$/),
    expect.stringMatching(/^└─ node_2: Carry out .*\]$/),
  ]);
});

test('what has no room is left out by whole lines, with a word about it', async () => {
  const rig = await openActivities([ids]);
  let plan: object = task('ids', { ids: ['start'] });
  for (let level = 0; level < 100; level++) plan = combine('UNION', task('ids', { ids: [`id-${level}`] }), plan);
  const { text } = await rig.compiled({ goal: 'Many', plan });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PLAN_TEXT_BYTES);
  expect(text).toMatch(/[\].]\n\.\.\. and \d+ more lines; the whole plan is in the result store under its digest$/);
});
