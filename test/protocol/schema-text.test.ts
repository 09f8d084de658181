import { expect, test } from 'vitest';
import { schemaText } from '../../src/protocol/index.ts';

test.each([
  [{ type: 'string' }, 'a text'],
  [{ type: 'boolean' }, 'yes or no'],
  [{ type: 'number', minimum: 0, maximum: 5 }, 'a number, at least 0, at most 5'],
  [{ type: 'integer', minimum: 1 }, 'a whole number, at least 1'],
  [{ type: 'string', minLength: 2, description: 'a country' }, 'a text, at least 2 characters (a country)'],
  [{ enum: ['EUR', 'SEK', null] }, 'one of "EUR", "SEK", null'],
  [{ type: ['number', 'null'] }, 'JSON that fits {"type":["number","null"]}'],
  [{ type: 'string', pattern: '[A-Z]{3}' }, 'JSON that fits {"type":"string","pattern":"[A-Z]{3}"}'],
  [{ type: 'object', properties: { a: {} } }, 'JSON that fits {"type":"object","properties":{"a":{}}}'],
  [
    {
      type: 'object',
      properties: { lab: { enum: ['Berlin', 'Basel'] }, plates: { type: 'integer', minimum: 1 } },
      required: ['lab'],
    },
    'lab: one of "Berlin", "Basel"; plates (optional): a whole number, at least 1',
  ],
])('%j is %s', (schema, words) => {
  expect(schemaText(schema)).toBe(words);
});

test('a long one is cut', () => {
  expect(schemaText({ anyOf: Array.from({ length: 99 }, () => ({ type: 'string' })) })).toHaveLength(215);
});
