/** The form of an answer, made from the schema of its question, and what such a form brings back. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldOf, readField, type FormAnswer, type AnswerField } from '../../src/operations/words/index.ts';
import { fieldHtml } from '../../src/page/view/fields.ts';

type Form = Readonly<Record<string, string | readonly string[]>>;

function read(field: AnswerField, form: Form): FormAnswer {
  return readField(field, (name) => [form[name] ?? []].flat());
}

const value = (given: unknown): FormAnswer => ({ ok: true, value: given as never });
const GROUP = {
  type: 'object',
  properties: { name: { type: 'string' }, count: { type: 'integer' }, urgent: { type: 'boolean' } },
  required: ['name'],
};

describe('an answer', () => {
  const is = (schema: Readonly<Record<string, unknown>>) => ({ schema });
  const listOf = (items: object) => is({ type: 'array', items });
  test.each<[what: string, asked: Parameters<typeof fieldOf>[0], form: Form, answered: FormAnswer | RegExp]>([
    ['any JSON', {}, { value: '{"a":[1]}' }, value({ a: [1] })],
    ['a text where it is no JSON', {}, { value: 'yes, two\r\nof them' }, value('yes, two\nof them')],
    ['blank', {}, { value: ' ' }, /^Answer: expected an answer, and it was left blank$/],
    ['yes', is({ type: 'boolean' }), { value: 'true' }, value(true)],
    ['no word of yes or no', is({ type: 'boolean' }), { value: 'maybe' }, /expected one of the values offered/],
    ['nothing chosen', is({ type: 'boolean' }), {}, /expected yes or no, and it was left blank/],
    ['one of a list', is({ enum: ['a', 2, null] }), { value: '2' }, value(2)],
    ['null of a list', is({ enum: ['a', 2, null] }), { value: 'null' }, value(null)],
    ['one that is not offered', is({ enum: ['a'] }), { value: '"b"' }, /expected one of the values offered, got ""b""/],
    ['a number', is({ type: 'number' }), { value: '2.5' }, value(2.5)],
    ['no number', is({ type: 'integer' }), { value: 'two' }, /expected a number, got "two"/],
    ['a number without end', is({ type: 'number' }), { value: 'Infinity' }, /expected a number/],
    ['a text', is({ type: 'string' }), { value: '42' }, value('42')],
    ['an empty text', is({ type: 'string' }), { value: '' }, value('')],
    ['texts', listOf({ type: 'string' }), { value: 'a\r\n\r\n b ' }, value(['a', 'b'])],
    ['several of a list', listOf({ enum: ['a', 'b', 'c'] }), { value: ['"a"', '"c"'] }, value(['a', 'c'])],
    ['none of a list', listOf({ enum: ['a'] }), {}, value([])],
    ['one too many', listOf({ enum: ['a'] }), { value: ['"a"', '"x"'] }, /values offered/],
    ['a list of others', listOf({ type: 'number' }), { value: '[1]' }, value([1])],
    ['a key twice', {}, { value: '{"a":1,"a":2}' }, /expected JSON with each key once in its object/],
    ['a number that loses digits', {}, { value: '12345678901234567890' }, /longer numbers than 15 digits in quotes/],
    ['no JSON', listOf({}), { value: '[1' }, /expected JSON, got "\[1"/],
    [
      'an object',
      is(GROUP),
      { 'value.0': 'ab', 'value.1': '3', 'value.2': 'true' },
      value({ name: 'ab', count: 3, urgent: true }),
    ],
    ['an object with blanks', is(GROUP), { 'value.0': 'ab', 'value.1': '' }, value({ name: 'ab' })],
    ['an object with a wrong field', is(GROUP), { 'value.0': 'ab', 'value.1': 'x' }, /^count: expected a number/],
    [
      'a key that is no plain one',
      is({ type: 'object', properties: { ['__proto__']: { type: 'string' }, a: { type: 'string' } } }),
      { 'value.0': 'x', 'value.1': 'y' },
      value(JSON.parse('{"__proto__":"x","a":"y"}')),
    ],
    [
      'an object within one',
      is({ type: 'object', properties: { in: GROUP }, required: ['in'] }),
      { 'value.0.0': 'ab' },
      value({ in: { name: 'ab' } }),
    ],
    ['a schema of more', is({ anyOf: [{ type: 'string' }, { type: 'null' }] }), { value: 'null' }, value(null)],
    ['a suggestion', { suggestions: ['a', 1] }, { value: '1' }, value(1)],
    ['another than suggested', { suggestions: ['a'] }, { value: 'other', 'value.other': 'b' }, value('b')],
    ['another, and nothing chosen', { suggestions: ['a'] }, { 'value.other': '7' }, value(7)],
    ['nothing of either', { suggestions: ['a'] }, { value: 'other', 'value.other': '' }, /left blank/],
    [
      'a number among suggestions',
      { schema: { type: 'number' }, suggestions: [1, 2] },
      { value: 'other', 'value.other': '3' },
      value(3),
    ],
  ])('%s', (_what, asked, form, answered) => {
    const got = read(fieldOf(asked), form);
    if (answered instanceof RegExp)
      expect(got).toMatchObject({ ok: false, problem: expect.stringMatching(answered) as string });
    else expect(got).toEqual(answered);
  });

  test('what a form shows before anybody has typed is the default', () => {
    const field = fieldOf({ schema: GROUP, default: { name: 'ab', count: 3, urgent: false } });
    const markup = String(fieldHtml(field));
    expect(markup).toContain('name="value.0" value="ab"');
    expect(markup).toMatch(/name="value.1"[^>]*value="3"/);
    expect(markup).toMatch(/value="false" checked/);
  });

  test('whatever the schema and whatever is sent, there is a form and an answer or a reason', () => {
    const schema = fc
      .jsonValue()
      .map((one) => (typeof one === 'object' && one !== null && !Array.isArray(one) ? one : { type: one }));
    const words = fc.constantFrom(
      'type',
      'enum',
      'properties',
      'items',
      'required',
      'title',
      'description',
      'minimum',
      'maxLength',
      'default',
    );
    const types = fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object', 'null', 7, null);
    const built = fc.dictionary(words, fc.oneof(types, schema, fc.array(fc.jsonValue())));
    fc.assert(
      fc.property(
        fc.oneof(schema, built),
        fc.array(fc.jsonValue(), { maxLength: 3 }),
        fc.string(),
        (one, suggestions, text) => {
          const field = fieldOf({ schema: one, suggestions: suggestions as never });
          expect(String(fieldHtml(field))).toContain('name="value');
          const answered = readField(field, () => [text]);
          expect(answered.ok ? true : answered.problem.length > 0).toBe(true);
        },
      ),
      { seed: 23, numRuns: 500 },
    );
  });
});
