import { expect, test } from 'vitest';
import { table } from '../../src/language/text/index.ts';

test('nothing in a cell breaks its row, or is hidden in it', () => {
  const rows = table([
    ['a\nb\u001b[2J', '1'],
    ['c\u202e', '2'],
  ]);
  expect(rows).toBe('a\\u000ab\\u001b[2J  1\nc\\u202e            2');
});
