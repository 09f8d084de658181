/** The activity of a part, called without a server: what it carries out, what it tells, how it stops, and who goes on after it. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  isDeferral,
  nodesIn,
  rangesOf,
  unpackEnds,
  type PartEnds,
  type PartRequest,
} from '../../../src/protocol/index.ts';
import { defineCapability, type Capability } from '../../../src/capabilities/index.ts';
import { createSet } from '../../../src/plan/algebra/index.ts';
import type { ActivityDependencies } from '../../../src/activities/index.ts';
import { StoreError, type Store } from '../../../src/store/index.ts';
import type { ModelClient } from '../../../src/models/index.ts';
import type { ProjectModels } from '../../../src/activities/models.ts';
import { createBarrier, fails, ids, tool } from '../../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../../support/plans.ts';
import { openActivities, type Attempt } from '../rig.ts';

afterEach(() => void vi.useRealTimers());

const FAKE = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] as const;

/** Reads that tests let end, by name. */
function createReads(over: Partial<Capability> = {}) {
  const barrier = createBarrier();
  const calls: string[] = [];
  const reads = defineCapability({
    name: 'reads',
    description: 'Reads.',
    input: z.object({ name: z.string() }),
    output: 'set',
    effect: 'read',
    async execute({ arguments: { name }, signal }) {
      calls.push(name);
      await barrier.wait(name, signal);
      return createSet([{ id: name }]);
    },
    ...(over as object),
  });
  return { barrier, calls, reads };
}

function gate() {
  let open = () => undefined as void;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open: () => open() };
}

async function keysIn(store: Store) {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  return keys;
}

const read = (name: string) => task('reads', { name });
const unionOf = ([first = {}, ...more]: readonly object[]) =>
  more.reduce((left, right) => combine('UNION', left, right), first);
const union = (...names: string[]) => unionOf(names.map(read));

async function opened(document: object, capabilities: readonly Capability[], more: Partial<ActivityDependencies> = {}) {
  const told: PartEnds[] = [];
  const tellRun: ActivityDependencies['tellRun'] = (_, { ends }) => Promise.resolve(void told.push(ends));
  const rig = await openActivities(capabilities, { tellRun, ...more });
  const planShape = await rig.compiled(planOf(document));
  const nodes = planShape.inputs.map((_, node) => node);
  const request: PartRequest = {
    firstRunId: 'first',
    revision: planShape.revisionRef,
    nodes: rangesOf(nodes),
    from: '',
    refs: '',
    slots: nodes.length,
    work: 1,
    key: 'secret',
    awaited: '',
  };
  const run = async (over: Partial<PartRequest> = {}, attempt: Attempt = {}) => {
    const reply = await rig.call('runPart', { ...request, ...over }, attempt);
    return seen(reply, told.splice(0));
  };
  return { rig, planShape, request, told, run };
}

/** By node: what it came to, as the reply tells it, and the news before it. */
function seen(reply: PartEnds, news: readonly PartEnds[] = []) {
  const all = [...news, reply];
  const byNode = all.flatMap(unpackEnds).toSorted((a, b) => a.node - b.node);
  return {
    ends: byNode.map(({ handle }) => handle.count),
    nodes: byNode.map(({ node }) => node),
    alone: all.flatMap(({ alone = '' }) => nodesIn(alone)).toSorted((a, b) => a - b),
    barred: [...new Set(all.flatMap(({ barred = [] }) => barred))],
  };
}

describe('a part', () => {
  test('carries its nodes out in their order, and replies how each ended', async () => {
    const { run, rig, planShape } = await opened(
      combine('UNION', combine('UNION', idsOf('a'), idsOf('b')), idsOf('c')),
      [ids],
    );
    const parts = await run();
    expect(parts.ends.toSorted()).toEqual([1, 1, 1, 2, 3]);
    expect(parts.nodes).toEqual([0, 1, 2, 3, 4]);
    // Single activities give the same references.
    const { ref } = (await rig.call('runTask', { revision: planShape.revisionRef, nodeId: 'node_1', inputs: [] })) as {
      ref: string;
    };
    expect(await rig.results.get(ref)).toBeDefined();
  });

  test('takes results from outside by their references', async () => {
    const { rig, run, planShape } = await opened(combine('UNION', idsOf('a'), idsOf('b', 'c')), [ids]);
    const refs = await Promise.all(
      ['node_1', 'node_2'].map(async (nodeId) => {
        const reply = await rig.call('runTask', { revision: planShape.revisionRef, nodeId, inputs: [] });
        return (reply as { ref: string }).ref;
      }),
    );
    expect(await run({ nodes: '2', from: '0-1', refs: refs.join('') })).toMatchObject({ nodes: [2], ends: [3] });
  });

  test('gives back a node that fails, and goes on without those that need it', async () => {
    const { run } = await opened(combine('UNION', task('fails', { how: 'critical' }), idsOf('b')), [ids, fails]);
    const { nodes, alone, barred } = await run();
    expect([nodes.length, alone.length, barred]).toEqual([1, 1, []]);
  });

  test('bars a capability of which three nodes have failed, and no more have succeeded', async () => {
    const { reads, calls } = createReads({
      execute: (): Promise<never> => Promise.reject(new Error(`broke ${calls.push('x')}`)),
    });
    const { run } = await opened(union('a', 'b', 'c', 'd'), [reads]);
    const { alone, barred } = await run({ slots: 1 });
    expect([alone.length, barred, calls.length]).toEqual([4, ['capability reads@1 read'], 3]);
  });

  test('bars no capability of which more have succeeded than failed', async () => {
    const { reads } = createReads({
      async execute({ arguments: given }) {
        const { name } = given as { readonly name: string };
        if (name.startsWith('bad')) throw new Error('broke');
        return createSet([{ id: name }]);
      },
    });
    const { run } = await opened(union('a', 'b', 'c', 'd', 'bad1', 'bad2', 'bad3'), [reads]);
    expect(await run({ slots: 1 })).toMatchObject({ alone: expect.objectContaining({ length: 3 }), barred: [] });
  });

  test('gives back what another version was approved for', async () => {
    const { rig, request } = await opened(combine('UNION', idsOf('a'), idsOf('b')), [ids]);
    const other = await openActivities([{ ...ids, version: '2' }], { store: rig.dependencies.store });
    expect(seen(await other.call('runPart', request))).toMatchObject({ nodes: [], alone: [0, 1] });
  });

  test('gives back a node that asks a model, and the other nodes of its capability', async () => {
    const asking = tool('asks', 'read', 'text', z.object({ name: z.string() }), async ({ model }) => {
      // It would go on with another answer.
      return (
        (await model?.({ messages: [{ role: 'user', content: 'which?' }] }).catch(() => undefined))?.text ?? 'none'
      );
    });
    const client: ModelClient = { name: 'counted', complete: () => Promise.reject(new Error('it was asked')) };
    const asked = { client, request: {} };
    const models = { planner: asked, modelOf: () => asked } as unknown as ProjectModels;
    const { run } = await opened(task('asks', { name: 'a' }), [asking], { models });
    expect(await run()).toMatchObject({ nodes: [], alone: [0], barred: ['capability asks@1 read'] });
  });

  test('whose store takes no writes is held as a whole', async () => {
    const { rig, request } = await opened(combine('UNION', idsOf('a'), idsOf('b')), [ids]);
    const { store } = rig.dependencies;
    const full = { ...store, put: () => Promise.reject(new StoreError('unwritable', 'ENOSPC: no space left')) };
    const other = await openActivities([ids], { store: full });
    const reply: unknown = await other.call('runPart', request);
    expect(reply).toMatchObject({ deferred: 'fault', reason: expect.stringContaining('ENOSPC') });
  });

  test('at most 100 nodes of parts are at work in one process', async () => {
    let atWork = 0;
    let most = 0;
    const { promise: all, open: enough } = gate();
    const crowd = tool('crowd', 'read', 'set', z.object({ name: z.string() }), async ({ arguments: { name } }) => {
      atWork += 1;
      most = Math.max(most, atWork);
      if (atWork === 100) enough();
      await all;
      atWork -= 1;
      return createSet([{ id: name }]);
    });
    const names = Array.from({ length: 101 }, (_, at) => `n${at}`);
    const plan = unionOf(names.map((name) => task('crowd', { name })));
    const { run } = await opened(plan, [crowd]);
    expect((await run()).nodes).toHaveLength(201);
    expect(most).toBe(100);
  });
});

describe('while a part goes on', () => {
  test('its run hears of what something outside waits for', async () => {
    const { barrier, reads } = createReads();
    const { run, told } = await opened(union('a', 'b'), [reads]);
    const reply = run({ awaited: '0' });
    await barrier.reached('b');
    barrier.open('a');
    await expect.poll(() => told).toHaveLength(1);
    expect(seen(told[0]!).nodes).toEqual([0]);
    barrier.open('b');
    expect((await reply).nodes).toEqual([0, 1, 2]);
  });
});

describe('a part that is told to stop', () => {
  test('lets what is at work end for 2 s, begins nothing else, and gives the rest back', async () => {
    const { barrier, reads, calls } = createReads();
    const { rig, request, told } = await opened(union('a', 'b'), [reads]);
    const environment = rig.open('runPart', { ...request, slots: 1 });
    await expect.poll(() => calls).toHaveLength(1);
    environment.cancel();
    barrier.open('a');
    barrier.open('b');
    const { nodes, ends } = seen(await environment.reply, told);
    expect([calls.length, nodes.length, ends]).toEqual([1, 1, [1]]);
  });

  test('does not wait for what ignores that', async () => {
    const { rig, request, told, started } = await deafPart();
    const environment = rig.open('runPart', request);
    await started;
    environment.cancel();
    await vi.advanceTimersByTimeAsync(1999);
    expect(await Promise.race([environment.reply, Promise.resolve('open')])).toBe('open');
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    expect(seen(await environment.reply, told)).toMatchObject({ nodes: [], alone: [] });
  });
});

/** Two reads that ignore their signal and end when that is let, by a clock that the test moves. */
async function deafPart(partTimes?: ActivityDependencies['partTimes']) {
  const { promise: started, open: start } = gate();
  const { promise: late, open: end } = gate();
  const { reads } = createReads({
    execute: async () => {
      start();
      await late;
      return createSet([{ id: 'late' }]);
    },
  });
  const rig = await opened(union('a', 'b'), [reads], { ...(partTimes && { partTimes }) });
  vi.useFakeTimers({ toFake: [...FAKE] });
  return { ...rig, started, end };
}

describe('a node that lasts', () => {
  test('is given back after 5 s with the other nodes of its capability, and nobody stores what it returns', async () => {
    const { rig, request, told, started, end } = await deafPart();
    const environment = rig.open('runPart', { ...request, slots: 1 });
    await started;
    await vi.advanceTimersByTimeAsync(4999);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    const reply = await environment.reply;
    expect(seen(reply, told)).toMatchObject({ nodes: [], alone: [0, 1], barred: ['capability reads@1 read'] });
    const before = await keysIn(rig.dependencies.store);
    end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await keysIn(rig.dependencies.store)).toEqual(before);
  });

  test('counts no longer than its own timeout', async () => {
    const { reads } = createReads({ timeout: { startToCloseMs: 20 } });
    const { run } = await opened(read('a'), [reads]);
    expect(await run()).toMatchObject({ nodes: [], alone: [0] });
  });
});

describe('a part that has gone on for long', () => {
  test('begins nothing more, and gives the rest back', async () => {
    const times = { tryMs: 60_000, beginMs: 50, endMs: 60_000 };
    const { rig, request, told, started, end } = await deafPart(times);
    const environment = rig.open('runPart', { ...request, slots: 1 });
    await started;
    await vi.advanceTimersByTimeAsync(50);
    vi.useRealTimers();
    end();
    const { nodes, alone } = seen(await environment.reply, told);
    expect([nodes.length, alone]).toEqual([1, []]);
  });

  test('ends, whatever its nodes do', async () => {
    const { rig, request, told, started } = await deafPart({ tryMs: 1e6, beginMs: 1e6, endMs: 60 });
    const environment = rig.open('runPart', request);
    await started;
    await vi.advanceTimersByTimeAsync(60);
    vi.useRealTimers();
    expect(seen(await environment.reply, told).nodes).toEqual([]);
  });
});

describe('a later attempt', () => {
  test('in a process in which the part is at work joins it', async () => {
    const { barrier, reads, calls } = createReads();
    const { rig, request, told } = await opened(union('a', 'b'), [reads]);
    const first = rig.open('runPart', request);
    await Promise.all(['a', 'b'].map((name) => barrier.reached(name)));
    const second = rig.open('runPart', request, { info: { attempt: 2 } });
    // The server has given the first one up, which says nothing about the second.
    first.cancel();
    for (const name of ['a', 'b']) barrier.open(name);
    expect(seen(await second.reply, told)).toMatchObject({ nodes: [0, 1, 2], alone: [] });
    expect(seen(await first.reply, told).nodes).toEqual([0, 1, 2]);
    expect(calls).toHaveLength(2);
  });

  test('after a lost worker carries nothing out: it tells what is kept, and what goes alone', async () => {
    const { barrier, reads, calls } = createReads();
    const { rig, run, planShape, request } = await opened(union('a', 'b', 'c'), [reads]);
    barrier.open('a');
    await rig.call('runTask', { revision: planShape.revisionRef, nodeId: 'node_1', inputs: [], work: 1 });
    const before = [...calls];
    const lost = await run({ slots: 1 }, { info: { attempt: 2 }, fresh: true });
    expect(lost).toMatchObject({ nodes: [0], ends: [1] });
    expect(lost.alone).toHaveLength(1);
    const all = await run({ slots: 9 }, { info: { attempt: 2 }, fresh: true });
    expect(all.alone).toHaveLength(2);
    const twice = await run({ slots: 1, again: request.nodes }, { info: { attempt: 2 }, fresh: true });
    expect(twice).toMatchObject({ nodes: [0], alone: [1, 2, 3, 4] });
    expect(calls).toEqual(before);
  });

  test('that is the last has all of its nodes go alone', async () => {
    const { run } = await opened(union('a', 'b'), [createReads().reads]);
    const all = await run({}, { info: { attempt: 5, retryPolicy: { maximumAttempts: 5 } }, fresh: true });
    expect(all).toMatchObject({ nodes: [], alone: [0, 1, 2] });
  });

  test('of a part that fails does not leave behind what is at work', async () => {
    const [began, stopped] = [gate(), gate()];
    const { reads } = createReads({
      execute: ({ signal }) =>
        new Promise<never>((_, reject) => {
          began.open();
          const stop = () => {
            stopped.open();
            reject(new Error('stopped'));
          };
          if (signal.aborted) stop();
          else signal.addEventListener('abort', stop);
        }),
    });
    const fail = async () => {
      await began.promise;
      throw new Error('no such table');
    };
    const { rig, request } = await opened(union('a', 'b'), [reads]);
    const { store } = rig.dependencies;
    const faulty = await openActivities([reads], {
      store: {
        ...store,
        get: (key) => (key.includes('/done/') ? fail() : store.get(key)),
      },
    });
    await faulty.compiled(planOf(union('a', 'b')));
    const reply: unknown = await faulty.call('runPart', { ...request, again: '1' });
    expect(reply).toMatchObject({ deferred: 'fault', reason: expect.stringContaining('no such table') });
    await stopped.promise;
  });

  test('is held where the store is away', async () => {
    const { rig, request } = await opened(idsOf('a'), [ids]);
    const away = { ...rig.dependencies.store, get: () => Promise.reject(new StoreError('unreadable', 'EIO')) };
    const other = await openActivities([ids], { store: away });
    const reply: unknown = await other.call('runPart', request);
    expect(isDeferral(reply)).toBe(true);
    expect(reply).toMatchObject({ deferred: 'fault', reason: expect.stringContaining('EIO') });
  });
});
