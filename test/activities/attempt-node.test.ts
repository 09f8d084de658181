/** One attempt at a node, under the activity type of its kind: who hears of it, and that an effect begins only once. */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { NodeEvent } from '../../src/activities/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineAgent, type Capability } from '../../src/capabilities/index.ts';
import { readResult } from '../../src/store/index.ts';
import { fails, ids, writes, tool } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { failureOf, openActivities, WORKFLOW_ID } from './rig.ts';

describe('an attempt', () => {
  test('at a task and at a combine gives a handle, and is told of when it begins and ends', async () => {
    const events: NodeEvent[] = [];
    const rig = await openActivities([ids], { onNode: (event) => events.push(event) });
    const { revisionRef: revision } = await rig.compiled(planOf(combine('UNION', idsOf('a'), idsOf('b', 'c'))));
    const refs: string[] = [];
    for (const nodeId of ['node_1', 'node_2']) {
      const reply = await rig.call('runTask', { revision, nodeId, inputs: [] });
      refs.push('ref' in reply ? reply.ref : '');
    }
    const joined = await rig.call('combine', { revision, nodeId: 'node_3', inputs: refs });
    expect(joined).toMatchObject({ kind: 'set', count: 3 });
    expect(events.map(({ what, nodeId }) => `${nodeId} ${what}`)).toEqual(
      ['node_1', 'node_2', 'node_3'].flatMap((id) => [`${id} started`, `${id} succeeded`]),
    );
    expect(events.every(({ workflowId }) => workflowId === WORKFLOW_ID)).toBe(true);
    const ref = 'ref' in joined ? joined.ref : '';
    expect(await readResult(rig.results, ref)).toMatchObject({ set: { ids: ['a', 'b', 'c'] } });
  });

  test.each<[string, string, string, readonly unknown[]]>([
    ['once its capability was called', 'node_1', 'CRITICAL', []],
    ['before its capability was called', 'node_9', 'FATAL', [{ begun: false }]],
  ])('that fails says whether it failed %s', async (_, nodeId, type, details) => {
    const rig = await openActivities([fails]);
    const { revisionRef: revision } = await rig.compiled(planOf(task('fails', { how: 'critical' })));
    const failure = await failureOf(rig.call('runTask', { revision, nodeId, inputs: [] }));
    expect(failure).toMatchObject({ type, details });
  });

  test.each<[string, string, object]>([
    [
      'that is the one approved is refused for good',
      'Search.',
      {
        type: 'FATAL',
        message: expect.stringContaining('agent Researcher is carried out by a run of its own') as string,
      },
    ],
    [
      'that is another by now is deferred',
      'Answer.',
      {
        deferred: 'version',
        reason: expect.stringMatching(/approved with "agent Researcher@[0-9a-f]{12} idempo/) as string,
      },
    ],
  ])('at a task of an agent %s', async (_, told, expected) => {
    const tools = [{ ...ids, effect: 'idempotent' } as const];
    const agent = (instructions: string) =>
      defineAgent({ name: 'Researcher', description: 'Finds ids.', instructions, capabilities: tools });
    const registryOf = (instructions: string) => createRegistry([], { agents: [agent(instructions)] });
    const rig = await openActivities([], { registry: registryOf('Search.') });
    const planShape = await rig.compiled(planOf({ type: 'task', task: 'Find ids', agent: 'researcher' }));
    expect(planShape.executors).toMatchObject([{ kind: 'agent', effect: 'idempotent' }]);
    const other = await openActivities([], { ...rig.dependencies, registry: registryOf(told) });
    const request = { revision: planShape.revisionRef, nodeId: 'node_1', inputs: [] };
    const outcome: unknown = await other.call('runTask', request).catch((error: unknown) => error);
    expect(outcome).toMatchObject(expected);
  });

  test('goes on when whoever hears of it throws', async () => {
    const rig = await openActivities([ids], {
      onNode: () => {
        throw new Error('deaf');
      },
    });
    const { revisionRef: revision } = await rig.compiled(planOf(idsOf('a')));
    expect(await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] })).toMatchObject({ kind: 'set' });
  });

  test('that was given up and went on has done the work of the next', async () => {
    const written: string[] = [];
    const rig = await openActivities([writes('note', 'idempotent', written)]);
    const { revisionRef: revision } = await rig.compiled(planOf(task('note', { value: 'x' })));
    const request = { revision, nodeId: 'node_1', inputs: [], work: 1 };
    const first = await rig.call('runTask', request);
    const second = await rig.call('runTask', request, { fresh: true, info: { attempt: 2 } });
    expect(second).toEqual({ ...(first as object), attempts: 1 });
    expect(written).toHaveLength(1);
  });

  test('at a node that is not in the plan fails for good', async () => {
    const rig = await openActivities([ids]);
    const { revisionRef: revision } = await rig.compiled(planOf(idsOf('a')));
    const failure = await failureOf(rig.call('runTask', { revision, nodeId: 'node_9', inputs: [] }));
    expect(failure).toMatchObject({ type: 'FATAL', nonRetryable: true });
  });
});

describe('an effect at most once', () => {
  async function opened() {
    const written: string[] = [];
    const rig = await openActivities([writes('water', 'at-most-once', written)]);
    const { revisionRef: revision } = await rig.compiled(planOf(task('water', { value: 'north' })));
    return { rig, written, request: { revision, nodeId: 'node_1', inputs: [], work: 1 } };
  }

  test('begins once under one key, also where another worker is asked: that gives the result, or knows of none', async () => {
    const { rig, written, request } = await opened();
    const first = await rig.call('runTask', request);
    // The same attempt may come once more when a workflow is reset; another one has another token.
    const again = () => rig.call('runTask', request, { fresh: true, token: 'another' });
    expect(await again()).toEqual(first);
    await rm(join(rig.folder, 'root', 'done'), { recursive: true });
    expect(await failureOf(again())).toMatchObject({
      type: 'CRITICAL',
      message: expect.stringContaining('was begun before under the key'),
    });
    expect(written).toHaveLength(1);
  });

  test('that a lost attempt has not begun is carried out by the next, under the same key', async () => {
    const { rig, written, request } = await opened();
    const second = { fresh: true, token: 'second', info: { attempt: 2 } };
    expect(await rig.call('runTask', request, second)).toMatchObject({ kind: 'set' });
    expect(written).toHaveLength(1);
  });

  test.each<[string, readonly Capability[]]>([
    ['does not have its capability', []],
    ['has another one of its name', [fails, writes('water', 'idempotent', [])]],
  ])('that a lost attempt has begun stays uncertain, also for a worker that %s', async (_, capabilities) => {
    const { rig, written, request } = await opened();
    await rig.call('runTask', request);
    await rm(join(rig.folder, 'root', 'done'), { recursive: true });
    const registry = createRegistry(capabilities);
    const other = await openActivities([], { ...rig.dependencies, registry });
    const failure = await failureOf(other.call('runTask', request, { token: 'second', info: { attempt: 2 } }));
    expect(failure).toMatchObject({ type: 'CRITICAL', nonRetryable: true });
    expect(failure.details).not.toContainEqual(expect.objectContaining({ begun: false }));
    expect(written).toHaveLength(1);
  });

  test('that is not wanted any more is looked for, and not begun', async () => {
    const { rig, written, request } = await opened();
    const over = { ...request, isOver: true } as const;
    expect(await rig.call('runTask', over)).toEqual({ deferred: 'run', reason: 'it was cancelled before it began' });
    expect(written).toEqual([]);
    const done = await rig.call('runTask', request);
    expect(await rig.call('runTask', over, { token: 'second' })).toEqual(done);
    await rm(join(rig.folder, 'root', 'done'), { recursive: true });
    expect(await failureOf(rig.call('runTask', over, { fresh: true, token: 'third' }))).toMatchObject({
      message: expect.stringContaining('was begun before under the key'),
    });
    expect(written).toHaveLength(1);
  });

  test.each<[string, object, object, boolean]>([
    ['that is the first', {}, {}, false],
    ['after a lost one', {}, { attempt: 2 }, true],
    ['after one that was lost in an earlier activity', { again: true }, {}, true],
    ['that only finds out what happened', { isOver: true }, {}, true],
  ])('%s leaves it open whether its effect has begun while the store is away', async (_, more, info, isOpen) => {
    const { rig, request } = await opened();
    const get = () => Promise.reject(new Error('ECONNREFUSED'));
    const other = await openActivities([], { ...rig.dependencies, store: { ...rig.dependencies.store, get } });
    const reply = await other.call('runTask', { ...request, ...more }, { info });
    expect(reply).toMatchObject({ deferred: 'fault' });
    expect('mayHaveBegun' in reply).toBe(isOpen);
  });

  test('does not begin once its cancellation was delivered', async () => {
    const { rig, written, request } = await opened();
    const failure: unknown = await rig.call('runTask', request, { cancelled: true }).catch((error: unknown) => error);
    expect((failure as Error).name).toBe('CancelledFailure');
    expect(written).toEqual([]);
  });
});

test('a read that was told to stop before it began is not begun', async () => {
  const calls: string[] = [];
  const rig = await openActivities([tool('look', 'read', 'text', z.looseObject({}), () => `${calls.push('look')}`)]);
  const { revisionRef: revision } = await rig.compiled(planOf(task('look', {})));
  await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] }, { cancelled: true }).catch(() => undefined);
  expect(calls).toEqual([]);
});

test('an effect is given the key under which it is known outside', async () => {
  const keys: string[] = [];
  const note = tool('note', 'idempotent', 'text', z.looseObject({}), ({ idempotencyKey }) => {
    if (keys.push(idempotencyKey) === 1) throw new Error('once more');
    return idempotencyKey;
  });
  const rig = await openActivities([note]);
  const { revisionRef: revision } = await rig.compiled(planOf(task('note', {})));
  const request = { revision, nodeId: 'node_1', inputs: [], work: 1 };
  for (const retry of [0, 0, 1]) await rig.call('runTask', { ...request, retry }).catch(() => undefined);
  expect(keys[0]).toBe(keys[1]);
  expect(keys[2]).not.toBe(keys[1]);
  expect(keys.every((key) => key.startsWith(`default/${WORKFLOW_ID}/`))).toBe(true);
});
