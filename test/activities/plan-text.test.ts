import { expect, test } from 'vitest';
import { valuesText } from '../../src/plan/outline/index.ts';
import { PLAN_TEXT_BYTES } from '../../src/protocol/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { combine, task } from '../support/plans.ts';
import { openActivities } from './rig.ts';

const pay = writes('pay', 'at-most-once', []);

test('one long node hides neither its own effect nor the nodes after it', async () => {
  const rig = await openActivities([ids, pay]);
  const long = { ...task('pay', { value: 'x' }), hint: 'h'.repeat(9_000) };
  const { text } = await rig.compiled({ goal: 'Pay', plan: combine('UNION', long, task('ids', { ids: ['a'] })) });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PLAN_TEXT_BYTES);
  const lines = text.split('\n');
  expect(lines[0]).toBe('node_3 UNION  every record that is in node_1 or in node_2');
  expect(lines[1]).toBe('├─ node_1 ! at-most-once  pay {"value":"x"}');
  expect(lines[2]).toMatch(/^│ {5}\[capability pay@\w+ at-most-once\]/);
  expect(lines.slice(-2)[0]).toBe('└─ node_2  ids {"ids":["a"]}');
});

test('a large plan is folded, and its effects stay', async () => {
  const rig = await openActivities([ids, pay]);
  const leaf = (n: number) => (n === 37 ? task('pay', { value: 'x' }) : task('ids', { ids: [`id-${n}`] }));
  const tree = (from: number, size: number): object =>
    size === 1 ? leaf(from) : combine('UNION', tree(from, size / 2), tree(from + size / 2, size / 2));
  const { text } = await rig.compiled({ goal: 'Many', plan: tree(0, 128) });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PLAN_TEXT_BYTES);
  expect(text).toMatch(/… \d+ more nodes/);
  expect(text).toMatch(/node_\d+ ! at-most-once {2}pay/);
});

test('the values of effects are kept for who is asked: as far as there is room, and none of what only reads', async () => {
  const rig = await openActivities([ids, pay]);
  const { values: one } = await rig.compiled({
    goal: 'Pay',
    plan: combine('UNION', task('ids', { ids: ['a'] }), {
      ...task('pay', { value: 'x' }),
      context: { why: 7 },
    }),
  });
  expect(one && Object.keys(one)).toEqual(['1']);
  expect(valuesText(one![1]!)).toBe('value "x", context {"why":7}');
  const long = await rig.compiled({ goal: 'Long', plan: task('pay', { value: 'x'.repeat(3000) }) });
  expect(long.values![0]).toContainEqual(expect.objectContaining({ name: 'value', length: 3002 }));
  expect(long.valuesLeft![0]).toBeGreaterThan(1002);
});
