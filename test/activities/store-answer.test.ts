/** What a person said becomes the result of a node, or is refused with what was expected. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineCapability } from '../../src/capabilities/index.ts';
import { readResult } from '../../src/store/index.ts';
import type { AnswerRequest, ResultKind } from '../../src/protocol/index.ts';
import { failureOf, openActivities } from './rig.ts';

const KINDS: readonly ResultKind[] = ['value', 'text', 'set'];
const asking = (output: ResultKind) =>
  defineCapability({
    name: output,
    kind: 'wait',
    description: 'Asks.',
    input: z.looseObject({}),
    output,
    effect: 'read',
    execute: () => ({ text: 'Which?' }),
  });
const task = (capability: string) => ({ type: 'task', task: `Ask for a ${capability}`, capability });
// Nodes 1 to 3 ask for a value, a text and a set, each after the one before; node 4 is the union of the set with itself.
const set = { ...task('set'), input: { ...task('text'), input: task('value') } };
const inputs = { type: 'combine', operator: 'UNION', left: set, right: set };
const NODE_OF = { value: 'node_1', text: 'node_2', set: 'node_3', combine: 'node_4' } as const;

async function open() {
  const rig = await openActivities(KINDS.map(asking));
  const { revisionRef: revision } = await rig.compiled({ goal: 'Hear a person', plan: inputs });
  return {
    ...rig,
    revision,
    answer: (node: keyof typeof NODE_OF, value: unknown, schema?: AnswerRequest['schema']) =>
      rig.call('storeAnswer', {
        revision,
        nodeId: NODE_OF[node],
        value: value as never,
        ...(schema !== undefined && { schema }),
      }),
  };
}

describe('an answer becomes a result of the kind that its node has', () => {
  test.each<[node: keyof typeof NODE_OF, value: unknown, result: object]>([
    ['value', { a: [1, null, 'x'] }, { kind: 'value', value: { a: [1, null, 'x'] } }],
    ['value', null, { kind: 'value', value: null }],
    ['value', '', { kind: 'value', value: '' }],
    ['text', 'the north field', { kind: 'text', text: 'the north field' }],
    ['text', '', { kind: 'text', text: '' }],
    ['set', ['b', 'a', 'b'], { kind: 'set', set: createSet([{ id: 'a' }, { id: 'b' }]) }],
    ['set', [], { kind: 'set', set: createSet([]) }],
    ['combine', ['a'], { kind: 'set', set: createSet([{ id: 'a' }]) }],
  ])('%s: %j', async (node, value, result) => {
    const { answer, results } = await open();
    const reply = await answer(node, value);
    if (!reply.ok) throw new Error(reply.reason);
    expect(await readResult(results, reply.handle.ref)).toEqual(result);
  });

  test('a text is read as the JSON in it where that is what the question wants, and a note says so', async () => {
    const { answer, results } = await open();
    const schema = { type: 'object', properties: { plates: { type: 'integer' } }, required: ['plates'] };
    const reply = await answer('value', '{"plates": 5}', schema);
    if (!reply.ok) throw new Error(reply.reason);
    expect(await readResult(results, reply.handle.ref)).toEqual({ kind: 'value', value: { plates: 5 } });
    expect(reply.note).toContain('is read as');
    expect(await answer('value', '{"plates": "many"}', schema)).toMatchObject({ ok: false });
    expect(await answer('value', '5', { type: 'string' })).not.toHaveProperty('note');
  });

  test.each<[node: keyof typeof NODE_OF, value: unknown, says: string]>([
    ['text', 7, 'expected a text, got number 7; put it in quotes'],
    ['text', null, 'expected a text, got null'],
    ['text', { text: 'x' }, 'got an object with "text"'],
    ['set', 'a', 'expected a list of ids, each a text, got "a"; [] is the empty set'],
    ['set', { ids: ['a'] }, 'got an object with "ids"'],
    ['set', ['a', 7], 'number 2 is number 7, not a text'],
    ['set', ['a', ' '], 'number 2 of the list is no id'],
    ['set', ['a\nb'], 'number 1 of the list is no id'],
    ['combine', 7, 'expected a list of ids'],
    ['value', nested(65), 'at most 64 levels'],
    ['value', nested(100_000), 'at most 64 levels'],
    ['value', 'x'.repeat(256 * 1024), 'at most 262144 bytes as JSON'],
    ['text', 'x'.repeat(256 * 1024), 'at most 262144 bytes as JSON'],
    ['value', undefined, 'undefined'],
  ])('or is refused with a reason: %s %#', async (node, value, says) => {
    const { answer } = await open();
    const reply = await answer(node, value);
    expect(reply).toMatchObject({ ok: false, reason: expect.stringContaining(says) });
  });
});

describe('an answer is held to the schema of its question', () => {
  test.each<[schema: NonNullable<AnswerRequest['schema']>, value: unknown, says: string | undefined]>([
    [{ type: 'integer', minimum: 1 }, 3, undefined],
    [{ type: 'integer', minimum: 1 }, 0, 'the answer does not fit the schema of the question: $: '],
    [{ enum: ['yes', 'no'] }, 'yes', undefined],
    [{ enum: ['yes', 'no'] }, 'maybe', 'does not fit'],
    [{ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}b`, 'takes too long'],
    [{ type: 'fruit' }, 1, 'the schema of the question cannot be used'],
    [{ type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }, {}, '$.a'],
  ])('%j takes %j', async (schema, value, says) => {
    const { answer } = await open();
    const reply = await answer('value', value, schema);
    expect(reply.ok ? undefined : reply.reason).toEqual(says === undefined ? undefined : expect.stringContaining(says));
  });

  test('before it is looked at as a result', async () => {
    const { answer } = await open();
    expect(await answer('set', ['a'], { type: 'array', maxItems: 0 })).toMatchObject({ ok: false });
  });

  test('a reason has at most 2000 characters', async () => {
    const { answer } = await open();
    const wordy = { type: 'object', properties: {}, additionalProperties: false };
    const reply = await answer(
      'value',
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${'key '.repeat(120)}${i}`, i])),
      wordy,
    );
    expect(reply.ok ? '' : reply.reason).toHaveLength(2000);
  });
});

describe('what no other answer could cure is no refusal', () => {
  test('a worker that has another version of the capability', async () => {
    const { call, dependencies, revision } = await open();
    const registry = createRegistry(KINDS.map((kind) => ({ ...asking(kind), version: '2' })));
    const other = await openActivities([], { ...dependencies, registry });
    const request = { revision, nodeId: 'node_1', value: 1 };
    expect(await other.call('storeAnswer', request)).toMatchObject({ deferred: 'version' });
    expect(await call('storeAnswer', request)).toMatchObject({ ok: true });
  });

  test('a node that is not in the plan', async () => {
    const { call, revision } = await open();
    expect(await failureOf(call('storeAnswer', { revision, nodeId: 'node_9', value: 1 }))).toMatchObject({
      type: 'FATAL',
    });
  });
});

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
