/** Nodes by the names that people know, and what is said of a name that is none. */

import { describe, expect, test } from 'vitest';
import { nodeIdOf, nodeIds } from '../../src/client/index.ts';
import { withNodeIds } from '../../src/client/node-name.ts';
import type { NodeView, RunStatus } from '../../src/protocol/index.ts';

const view = (id: string, key?: string): NodeView => ({
  id,
  status: 'pending',
  summary: id,
  executor: 'operator',
  ...(key !== undefined && { key }),
});
const nodes = [view('node_1', 'position'), view('node_2', 'step_1'), view('node_3', 'node_1'), view('node_4')];
const loop = { loop: { round: 1, maxRounds: 9, step: 'do' }, counts: { total: 4 } } as RunStatus;
const noLoop = { counts: { total: 4 } } as RunStatus;

describe('a name of a node', () => {
  test.each([
    ['its id', 'node_4', 'node_4'],
    ['its context key', 'position', 'node_1'],
    ['an id before a key that looks like one', 'node_1', 'node_1'],
    ['a key that looks like the step of a loop', 'step_1', 'node_2'],
  ])('is %s', (_what, name, id) => expect(nodeIdOf(name, nodes, noLoop)).toBe(id));

  test.each<[string, string, readonly NodeView[], RunStatus | undefined, RegExp]>([
    ['nothing there', 'nosuch', nodes, undefined, /no node "nosuch"; it has node_1 \(position\), .*, node_4$/],
    ['a run without a plan', 'position', [], undefined, /it has no plan yet$/],
    ['a key and a step at once', 'step_1', nodes, loop, /stands for node_2 and for the step .*name it by its id$/],
    [
      'more than can be named',
      'x',
      Array.from({ length: 15 }, (_, at) => view(`node_${at + 1}`)),
      undefined,
      /and 3 more$/,
    ],
  ])('that is %s is refused', (_what, name, there, status, message) => {
    expect(() => nodeIdOf(name, there, status)).toThrow(message);
  });

  test('needs no question to the run where it is an id', async () => {
    const run = { view: fail };
    expect(await nodeIds(['node_9', 'node_1'], run)).toEqual(['node_9', 'node_1']);
  });

  test('is its id in the message that is sent', async () => {
    const run = { view: () => Promise.resolve({ nodes, status: noLoop } as never) };
    const sent = await withNodeIds({ action: 'skip-node', node: 'position', nodes: ['step_1', 'node_4'] }, run);
    expect(sent).toEqual({ action: 'skip-node', node: 'node_1', nodes: ['node_2', 'node_4'] });
    expect(await withNodeIds({ action: 'pause' }, run)).toEqual({ action: 'pause' });
  });
});

function fail(): never {
  throw new Error('asked');
}
