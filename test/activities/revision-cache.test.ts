/** The revisions that a worker keeps decoded: those that were used last, as many nodes as fit. */

import { beforeEach, describe, expect, test } from 'vitest';
import { createRevisionCache, type Revision } from '../../src/activities/revision.ts';
import { agentRunId } from '../../src/protocol/index.ts';
import { StoreError, type ResultStore } from '../../src/store/index.ts';

/** Nodes of all revisions that are kept. */
const MOST = 200_000;

/** What was read from the store, in order; a revision is named by its number of tasks and of combines. */
const read: string[] = [];
let broken: string[] = [];

function readRevision(_store: ResultStore, ref: string): Promise<Revision> {
  read.push(ref);
  if (broken.includes(ref)) return Promise.reject(new StoreError('not-found', ref));
  const [, tasks = 0, combines = 0] = ref.split(' ').map(Number);
  const plan = { tasks: { length: tasks }, combines: { length: combines } };
  return Promise.resolve({ plan, ref } as unknown as Revision);
}

const STORE = {} as ResultStore;
const RUN = { namespace: 'default', workflowId: 'plan-1', firstRunId: '0196-3fa9c1d2' };
const sized = (name: string, tasks: number, combines = 0) => `${name} ${tasks} ${combines}`;

beforeEach(() => {
  read.length = 0;
  broken = [];
});

/** Loads these one after the other; which of them were read from the store. */
async function loads(refs: readonly string[], cache = createRevisionCache(readRevision)): Promise<string[]> {
  const names: string[] = [];
  for (const ref of refs) {
    const before = read.length;
    expect(await cache.load(RUN, ref, STORE)).toMatchObject({ ref });
    if (read.length > before) names.push(ref.split(' ')[0]!);
  }
  return names;
}

const [a, b, c, huge] = [sized('a', 50_000, 30_000), sized('b', 80_000), sized('c', 80_000), sized('huge', MOST + 1)];

describe('a revision', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['is read once', [a, a, a], ['a']],
    ['is kept beside another, as long as both fit', [a, b, a, b], ['a', 'b']],
    ['is forgotten when it was used longest ago', [a, b, c, b, c, a], ['a', 'b', 'c', 'a']],
    ['is kept when it was used since', [a, b, a, c, a], ['a', 'b', 'c']],
    [
      'is forgotten for its nodes, tasks and combines alike',
      [sized('d', 1, MOST - 1), a, sized('d', 1, MOST - 1)],
      ['d', 'a', 'd'],
    ],
    ['is kept alone, however large', [huge, huge], ['huge']],
    ['of any size makes room for the next', [huge, a, a, huge], ['huge', 'a', 'huge']],
    [
      'is no more than its nodes: many small ones stay',
      [...Array.from({ length: 1000 }, (_, i) => sized(`s${i}`, 100)), sized('s0', 100), sized('s999', 100)],
      Array.from({ length: 1000 }, (_, i) => `s${i}`),
    ],
  ])('%s', async (_, refs, expected) => expect(await loads(refs)).toEqual(expected));

  test('is read for each run, and once for a run and its agents', async () => {
    const cache = createRevisionCache(readRevision);
    const small = sized('small', 100);
    const agent = { ...RUN, workflowId: agentRunId(RUN, 1, 'node_1') };
    for (const run of [RUN, agent, { ...RUN, firstRunId: 'd' }, { ...RUN, workflowId: 'plan-2' }, RUN])
      await cache.load(run, small, STORE);
    expect(read).toEqual([small, small, small]);
  });

  test('is read once for all who ask for it at once', async () => {
    const cache = createRevisionCache(readRevision);
    const all = await Promise.all([
      cache.load(RUN, a, STORE),
      cache.load(RUN, a, STORE),
      cache.load(RUN, b, STORE),
      cache.load(RUN, a, STORE),
    ]);
    expect(read).toEqual([a, b]);
    expect(all[1]).toBe(all[0]);
  });

  test('that could not be read is tried anew, and takes no room', async () => {
    broken = [a];
    const cache = createRevisionCache(readRevision);
    await expect(cache.load(RUN, a, STORE)).rejects.toThrow(StoreError);
    await expect(cache.load(RUN, a, STORE)).rejects.toThrow(StoreError);
    broken = [];
    expect(await loads([a, a], cache)).toEqual(['a']);
    expect(read).toEqual([a, a, a]);
  });
});
