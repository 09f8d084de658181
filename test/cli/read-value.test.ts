/** An answer as it is typed, and the value that it means. */

import { describe, expect, test } from 'vitest';
import { readTypedAnswer } from '../../src/cli/reading/index.ts';

describe('an answer as it is typed', () => {
  test.each<[string, Readonly<Record<string, unknown>> | undefined, unknown]>([
    ['42', undefined, 42],
    ['-1.5e3', undefined, -1500],
    ['null', undefined, null],
    ['true', undefined, true],
    ['"42"', undefined, '42'],
    ['{"a":[1]}', undefined, { a: [1] }],
    ['{a: 1}', undefined, '{a: 1}'],
    ['some text', undefined, 'some text'],
    ['', undefined, ''],
    ['42', { type: 'string' }, '42'],
    ['"42"', { type: 'string' }, '42'],
    ['42', { type: 'number' }, 42],
    ['many', { type: 'number' }, 'many'],
    ['1', { enum: ['1', '2'] }, '1'],
    ['1', { enum: [1, 2] }, 1],
    ['3', { enum: ['1', '2'] }, 3],
    ['yes', { type: 'boolean' }, true],
    ['Nope!', { type: 'boolean' }, false],
    ['false', { type: 'boolean' }, false],
    ['yes', undefined, 'yes'],
  ])('%j for %j is %j', (typed, schema, value) => {
    expect(readTypedAnswer(typed, schema as never)).toEqual(value);
  });

  test.each(['perhaps', 'not now', '1', 'null', '', 'yes and no'])('%j is neither yes nor no', (typed) => {
    expect(() => readTypedAnswer(typed, { type: 'boolean' })).toThrow(/is neither yes nor no, and nothing was sent/);
  });

  test.each([
    ['{"kind":"reject","kind":"approve"}', undefined, 'the key "kind" more than once'],
    [String.raw`[{"a":1,"\u0061":2}]`, { type: 'array' }, 'the key "a" more than once'],
    ['12345678901234567890', undefined, 'Write it in quotes'],
  ])('%s is no answer that everybody reads in one way', (typed, schema, problem) => {
    expect(() => readTypedAnswer(typed, schema)).toThrow(problem);
    expect(() => readTypedAnswer(typed, schema, true)).toThrow(problem);
    expect(readTypedAnswer(typed, { type: 'string' })).toBe(typed);
  });

  test('where JSON is wanted nothing else is taken', () => {
    expect(readTypedAnswer('[1]', undefined, true)).toEqual([1]);
    expect(() => readTypedAnswer('plain', { type: 'string' }, true)).toThrow('is no JSON');
  });
});
