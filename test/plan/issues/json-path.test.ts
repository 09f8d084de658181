import { expect, test } from 'vitest';
import { ROOT, below, farBelow, pathOf } from '../../../src/plan/issues/issue-list.ts';

test.each([
  [[], '$'],
  [['plan', 'left', 'input'], '$.plan.left.input'],
  [['plan', 'inputs', 0], '$.plan.inputs[0]'],
  [['a b', 'a-b', '1', ''], "$['a b']['a-b']['1']['']"],
  [["it's", 'a\\b'], "$['it\\'s']['a\\\\b']"],
  [['a\n\u001b\u202e'], "$['a\\u000a\\u001b\\u202e']"],
  [['\ud800', 'é'], "$['\\ud800']['é']"],
])('RFC 9535: the path of %j', (steps, path) => {
  expect(pathOf(farBelow(ROOT, steps))).toBe(path);
});

test('200 characters are whole, 201 are shortened in the middle', () => {
  expect(pathOf(below(ROOT, 'a'.repeat(198)))).toBe(`$.${'a'.repeat(198)}`);
  const path = pathOf(below(below(ROOT, `b${'a'.repeat(198)}`), 'end'));
  expect(path).toBe(`$.b${'a'.repeat(96)}…${'a'.repeat(95)}.end`);
});

test('no character is cut in two', () => {
  for (let length = 90; length < 110; length++) {
    const path = pathOf(farBelow(ROOT, ['x'.repeat(length), '😀'.repeat(80), 'y'.repeat(length)]));
    expect(path).toContain('…');
    expect(path).not.toMatch(/\p{Surrogate}/u);
  }
});
