/** The values of effects on a card: each complete, or with its length and counted as left out. */

import { describe, expect, test } from 'vitest';
import { compilePlan, shareRoom, valuesOf } from '../../../src/plan/index.ts';
import { valuesText } from '../../../src/plan/outline/index.ts';

function nodeWith(fields: object) {
  const read = compilePlan({ goal: 'Pay', plan: { task: 'Pay', capability: 'transfer', ...fields } });
  if (!read.ok) throw new Error(JSON.stringify(read.issues));
  return read.plan.nodesById['node_1'];
}

const textOf = (fields: object, room?: number) => valuesText(shareRoom([valuesOf(nodeWith(fields))], room)[0]!.values);

describe('what an effect is given', () => {
  test.each<[string, object, string]>([
    ['its arguments by name', { arguments: { amount: 44, to: 'anna' } }, 'amount 44, to "anna"'],
    ['arguments that are no object', { arguments: [1, 2] }, 'arguments [1,2]'],
    ['its context', { arguments: { a: 1 }, context: { why: 7 } }, 'a 1, context {"why":7}'],
    ['the task that a name of its own hides', { display_name: 'Look up the balance' }, 'task "Pay"'],
    ['its hint', { hint: 'all of it' }, 'hint "all of it"'],
    ['nothing that its title says', {}, ''],
    ['hidden characters as what they are', { arguments: { to: 'a\u202eb' } }, 'to "a\\u202eb"'],
  ])('has %s', (_, fields, text) => expect(textOf(fields)).toBe(text));

  test('a long value hides no short one, and has its length', () => {
    const args = { account_note: `Invoice ${'x'.repeat(3000)}`, amount: 900, to: 'mallory' };
    expect(textOf({ arguments: args })).toMatch(
      /^amount 900, to "mallory", account_note "Invoice x+… \(3,010 characters\)$/,
    );
  });

  test('a value of 2,000 characters is complete, and one more is not', () => {
    const shown = (length: number) => shareRoom([[{ name: 'a', text: 'x'.repeat(length) }]])[0];
    expect(shown(2000)).toEqual({ values: [{ name: 'a', text: 'x'.repeat(2000) }], left: 0 });
    expect(shown(2001)).toMatchObject({ values: [{ length: 2001 }], left: 1 });
  });

  test('a hundred effects with three short values each are complete', () => {
    const values = ['amount', 'to', 'why'].map((name) => ({ name, text: 'x'.repeat(600) }));
    expect(shareRoom(Array.from({ length: 100 }, () => values)).every(({ left }) => left === 0)).toBe(true);
  });
});
