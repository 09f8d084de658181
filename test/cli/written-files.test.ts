/** Files that nodes have written: told by name and count where a value alone would be told. */

import { describe, expect, test } from 'vitest';
import { nodeLines } from '../../src/cli/view/index.ts';
import { readValues, valueOf } from '../../src/client/values.ts';
import type { NodeView } from '../../src/protocol/index.ts';
import type { JsonValue } from '../../src/plan/index.ts';
import type { Result } from '../../src/store/index.ts';

const FILE = { path: 'result.bed', format: 'bed', records: 2, bytes: 40, sha256: 'a'.repeat(64) };
const value = (of: JsonValue): Result => ({ kind: 'value', value: of });

function node(id: string, over: Partial<NodeView> = {}): NodeView {
  const result = { ref: id, kind: 'value', count: 1, bytes: 200 } as const;
  return { id, status: 'succeeded', summary: 'Write them', effect: 'idempotent', result, ...over } as NodeView;
}

test.each<[string, JsonValue, string | undefined]>([
  ['a file of records', FILE, '2 records -> result.bed'],
  ['a file of one', { ...FILE, records: 1 }, '1 record -> result.bed'],
  ['a name of two lines', { ...FILE, path: 'a\nb.bed' }, '2 records -> a b.bed'],
  ['a value without a digest', { path: 'result.bed', records: 2 }, undefined],
  ['a list', [FILE], undefined],
  ['nothing', null, undefined],
])('%s is told as it is', async (_, of, text) => {
  const run = { readResult: async () => value(of) };
  expect((await valueOf(run, node('node_1')))?.written).toBe(text);
});

describe('the nodes of a run', () => {
  const read: string[] = [];
  const stored = new Map([
    ['node_1', value(FILE)],
    ['node_2', value(3)],
  ]);
  const run = {
    readResult: (ref: string): Promise<Result> => {
      read.push(ref);
      const found = stored.get(ref);
      return found === undefined ? Promise.reject(new Error('another store')) : Promise.resolve(found);
    },
  } as Parameters<typeof readValues>[0];
  const large = { ref: 'node_4', kind: 'value', count: 1, bytes: 1_000_000 } as const;

  test('that have written a file are found in the store at hand, and no large value is read for it', async () => {
    const nodes = [node('node_1'), node('node_2'), node('node_3'), node('node_4', { result: large })];
    const reads = node('node_5', { effect: 'read', result: { ...large, ref: 'node_5', bytes: 300 } });
    expect([...(await readValues(run, [...nodes, reads]))]).toEqual([
      ['node_1', { written: '2 records -> result.bed' }],
      ['node_2', { value: 3 }],
      ['node_3', {}],
      ['node_4', {}],
      ['node_5', {}],
    ]);
    expect(read).toEqual(['node_1', 'node_2', 'node_3']);
  });

  test('are shown with it, and a value that is not known leaves the title alone', () => {
    const nodes = [
      { ...node('node_1'), written: '2 records -> result.bed' },
      { ...node('node_2'), value: 0.4 },
      node('node_3'),
    ];
    const lines = nodeLines(nodes, { columns: 200 });
    expect(lines.map((line) => line.split('succeeded')[1])).toEqual(['  2 records -> result.bed', '  0.4', '']);
  });
});
