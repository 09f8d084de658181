/** One beyond each bound of a worker's activities: docs/bounds.md says what happens then. */

import { MockActivityEnvironment } from '@temporalio/testing';
import { z } from 'zod';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { dispatch, type Dispatched } from '../../src/planner/round/dispatch.ts';
import { takeIn } from '../../src/planner/round/observed.ts';
import { textOf } from '../../src/planner/index.ts';
import { counted } from '../../src/activities/attempts.ts';
import { compileAndStore } from '../../src/activities/compile-plan.ts';
import { faultIn } from '../../src/activities/faults.ts';
import { noted } from '../../src/activities/keep-returned.ts';
import { createViews } from '../../src/activities/own-view.ts';
import { judgeReuse } from '../../src/activities/reuse.ts';
import { createSet } from '../../src/plan/algebra/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineCapability } from '../../src/capabilities/index.ts';
import type { ModelClient } from '../../src/models/index.ts';
import { openModels } from '../../src/config/own-worker/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { search, USAGE } from '../support/scripted-planner.ts';
import { failureOf, openActivities } from './rig.ts';

const long = (length: number) => 'x'.repeat(length);
const cut = (most: number) => `${long(most - 1)}…`;

describe('how often what is no node may fail', () => {
  const MISSING = 'A'.repeat(43);
  const planning = (stage: string) => ({ stage, call: 'c', goal: 'g', work: 1 });
  const keep = { conversation: 'c', outcome: 'done', goal: 'g', steps: [], left: 0, revision: MISSING };
  const facts = { severity: 'CRITICAL', task: 't', operation: 'o', message: 'm', done: [], failed: [] };

  test.each<[Parameters<Awaited<ReturnType<typeof openActivities>>['call']>[0], string, number, unknown]>([
    ['compilePlan', '', 4, { source: { document: {} } }],
    ['decideStep', '', 4, { task: { goal: 'g' }, round: 1, call: 'c', options: {}, work: 1 }],
    ['reportFailure', '', 2, { call: 'c', ...facts, work: 1 }],
    ['storeAnswer', '', 4, { revision: MISSING, nodeId: 'node_1', value: 1 }],
    ['readKeys', '', 4, undefined],
    ['savePages', '', 3, { pages: [''] }],
    ['keepResults', '', 3, keep],
    ['planGoal', 'extract', 3, planning('extract')],
    ['planGoal', 'route', 4, planning('route')],
    ['planGoal', 'select', 4, planning('select')],
    ['planGoal', 'write', 4, planning('write')],
  ])('%s %s: not again after %i failures', async (name, _, most, request) => {
    const rig = await openActivities([]);
    const after = (failures: number) => {
      const heartbeatDetails = { attempt: failures, startedAt: Date.now(), failures, others: 0, ended: true };
      return rig.call(name, request as never, { info: { attempt: failures + 1, heartbeatDetails } }).then(
        () => 'done',
        (error: unknown) => (error as { message: string }).message,
      );
    };
    expect(await after(most)).toContain(`each of ${most} attempts failed`);
    expect(await after(most - 1)).not.toContain('attempts failed');
  });
});

test('a node gets the time-outs of its declaration, else 5 minutes, 1 hour and 10 seconds; at most once 60 seconds', async () => {
  const rig = await openActivities([ids, writes('pay', 'at-most-once', [])]);
  const of = async (plan: object) => (await rig.compiled(planOf(plan))).executors[0];
  const times = { startToCloseMs: 300_000, scheduleToCloseMs: 3_600_000 };
  expect(await of(idsOf('a'))).toMatchObject({ ...times, heartbeatMs: 10_000 });
  expect(await of(task('pay', { value: 'x' }))).toMatchObject({ ...times, heartbeatMs: 60_000 });
});

describe('an attempt that lasts', () => {
  beforeEach(
    () => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
  );
  afterEach(() => void vi.useRealTimers());

  test.each<[string, object, readonly number[]]>([
    ['beats after 250 ms and then every 3 seconds', {}, [250, 3250, 6250]],
    ['beats at once too where another was before it', { attempt: 2 }, [0, 250, 3250, 6250]],
    ['that may last for 300 ms beats within a third of them', { startToCloseTimeoutMs: 300 }, [100, 3100, 6100]],
    ['whose silence counts after 1.5 s beats three times in it', { heartbeatTimeoutMs: 1500 }, [250, 750, 1250]],
  ])('%s', async (_, info, expected) => {
    const attempt = new MockActivityEnvironment({ heartbeatTimeoutMs: 0, startToCloseTimeoutMs: 300_000, ...info });
    const from = Date.now();
    const beats: number[] = [];
    attempt.on('heartbeat', () => beats.push(Date.now() - from));
    let end!: (done: string) => void;
    const work = new Promise<string>((resolve) => (end = resolve));
    const ended = attempt.run(() => counted(3, () => work));
    await vi.advanceTimersByTimeAsync(expected.at(-1) ?? 0);
    end('done');
    expect(await ended).toBe('done');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(beats).toEqual(expected);
  });

  test('makes no call to the server for itself when it ends sooner', async () => {
    const attempt = new MockActivityEnvironment({ startToCloseTimeoutMs: 300_000 });
    const heard = vi.fn();
    attempt.on('heartbeat', heard);
    expect(await attempt.run(() => counted(3, () => Promise.resolve('done')))).toBe('done');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(heard).not.toHaveBeenCalled();
  });
});

describe('what is kept of a text', () => {
  test('a note of a node: 500 bytes', () => {
    expect(noted([long(500)]).notes).toEqual([long(500)]);
    const [note = ''] = noted([long(501)]).notes ?? [];
    expect([Buffer.byteLength(note), note.at(-1)]).toEqual([500, '…']);
  });

  test('the rows of a plan that a run shows: 40', async () => {
    const rig = await openActivities([ids]);
    const rowsOf = async (leaves: number) => {
      const plan = Array.from({ length: leaves }, (_, at) => idsOf(`${at}`));
      const { text } = await rig.compiled(
        planOf(plan.slice(1).reduce<object>((all, one) => combine('UNION', all, one), idsOf('0'))),
      );
      return text.split('\n').filter((line) => /node_\d+( UNION)?  |more node/.test(line));
    };
    const [all, folded] = [await rowsOf(20), await rowsOf(40)];
    expect([all.length, all.some((row) => row.includes('more node'))]).toEqual([39, false]);
    expect([folded.length <= 40, folded.some((row) => row.includes('more node'))]).toEqual([true, true]);
  });

  test('a result as the next decision is shown it: 8000 characters, and 100 records', () => {
    expect(textOf({ kind: 'text', text: long(8000) })).toBe(long(8000));
    expect(textOf({ kind: 'text', text: long(8001) })).toBe(`${cut(8000)} (8001 characters in all)`);
    const set = createSet(Array.from({ length: 101 }, (_, at) => ({ id: `g${at}` })));
    const shown = textOf({ kind: 'set', set });
    expect(shown).toContain('101 records: ');
    expect(shown.split(', ')).toHaveLength(100);
  });

  test('of 51 results of earlier runs a decision is shown the last 50', async () => {
    const { dependencies } = await openActivities([]);
    const results = Array.from({ length: 51 }, (_, at) => ({ key: `k${at}`, objective: 'o', ref: 'A'.repeat(43) }));
    const request = { task: { goal: 'g' }, round: 1, call: 'c', options: { conversation: 'reef' } } as never;
    const { notes } = await takeIn(request, 'model', [], dependencies.store, { results: async () => results });
    expect(notes.earlier).toHaveLength(50);
    expect(notes.earlier?.[0]).toContain('k1:');
    expect(Object.keys(notes.results)).toHaveLength(51);
  });

  test('what a step is for: 500 characters, and what was wrong with a decision: 2000', async () => {
    const { dependencies } = await openActivities([search]);
    const { registry, store } = dependencies;
    const desk = {
      round: 1,
      goal: 'g',
      tools: { nameOf: () => 'tool' },
      ignored: 0,
      store,
      compile: (document: object) =>
        compileAndStore({ chain: 'first', source: { document } }, registry, store, undefined, { results: {} }),
    } as never;
    const environment = new MockActivityEnvironment();
    const decided = (step: object) => environment.run(dispatch, step as never, desk) as Promise<Dispatched>;
    const ended = await decided({ is: 'finish', answer: long(501) });
    expect(ended.decision).toMatchObject({ summary: cut(500) });
    const step = { is: 'capability', name: 'search', objective: long(501), arguments: { text: 'a' } };
    expect((await decided(step)).decision).toMatchObject({ is: 'step', summary: cut(500) });
    const wrong = {
      is: 'plan',
      objective: 'o',
      goal: 'g',
      plan: { operator: 'UNION', inputs: Array.from({ length: 60 }, () => ({ type: long(100) })) },
    };
    const { decision } = await decided(wrong);
    expect(decision).toMatchObject({
      is: 'none',
      trouble: { message: expect.stringMatching(/^[^]{1999}…$/) as string },
    });
  });

  test('of 11 problems of arguments 10 are told', async () => {
    const declared = { name: 'reads', version: '1', description: 'Reads.', output: 'value', effect: 'read' } as const;
    const fields = Array.from({ length: 11 }, (_, at) => `f${at}`);
    const loose = defineCapability({ ...declared, input: z.looseObject({}), execute: () => 1 });
    const input = z.object(Object.fromEntries(fields.map((name) => [name, z.string()])));
    const strict = defineCapability({ ...declared, input, execute: () => 1 });
    const rig = await openActivities([loose]);
    const { revisionRef: revision } = await rig.compiled(planOf(task('reads', {})));
    const other = await openActivities([strict], { store: rig.dependencies.store });
    const failure = await failureOf(other.call('runTask', { revision, nodeId: 'node_1', inputs: [], work: 1 }));
    expect(failure.message.match(/arguments\.f/g)).toHaveLength(10);
    expect(failure.message).toContain('; and 1 more');
  });

  test('of 11 nodes that are not reused 10 are told with the reason', () => {
    const sought = Array.from({ length: 11 }, () => ({ effect: 'read', inputs: [], reason: 'it changed' }) as const);
    const { text } = judgeReuse(sought, { of: 'plan-1' });
    expect(text.match(/it changed/g)).toHaveLength(10);
    expect(text).toContain('; and 1 more');
    expect(
      Buffer.byteLength(
        judgeReuse(
          sought.map((one) => ({ ...one, reason: long(300) })),
          { of: 'plan-1' },
        ).text,
      ),
    ).toBe(2000);
  });
});

test('of a plan under way a heartbeat carries the last 20 lines, of 200 characters each', async () => {
  const nodes = Array.from({ length: 21 }, (_, at) => ({
    id: `n${at}`,
    task: long(300),
    capability: 'search',
    arguments: { text: 'a' },
  }));
  const text = JSON.stringify({ nodes });
  const model: ModelClient = {
    name: 'model',
    complete: (_, { onText } = {}) => {
      onText?.(text);
      return Promise.resolve({ text, toolCalls: [], finish: 'stop', usage: USAGE, model: 'm' });
    },
  };
  const rig = await openActivities([search], { models: openModels({ model })! });
  const beats: unknown[] = [];
  await rig.call('planGoal', { stage: 'write', call: 'c', goal: 'g', work: 1 }, { beats });
  const told = beats.flatMap((beat) => (beat as { details?: { feedback?: string[] } }).details?.feedback ?? []);
  const longest = beats.map((beat) => (beat as { details?: { feedback?: string[] } }).details?.feedback?.length ?? 0);
  expect(Math.max(...longest)).toBe(20);
  expect(Math.max(...told.map(({ length }) => length))).toBe(200);
});

describe('what a run keeps of its plan', () => {
  const wordy = (characters: number) => ({ ...planOf(idsOf('a')), goal: long(characters) });

  test('travels in pages above 500,000 characters', async () => {
    const rig = await openActivities([ids]);
    expect(await rig.call('compilePlan', { source: { document: wordy(490_000) } })).toHaveProperty('slice');
    expect(await rig.call('compilePlan', { source: { document: wordy(500_001) } })).toHaveProperty('pages');
  });

  test('is refused above 10,000,000', async () => {
    const rig = await openActivities([ids]);
    expect(await rig.call('compilePlan', { source: { document: wordy(10_000_001) } })).toMatchObject({
      ok: false,
      issues: [{ code: 'too-large-to-run', expected: 'at most 10000000 characters' }],
    });
  });
});

test('of 21 plans that a worker has looked at it reads the first again, and no other', async () => {
  const rig = await openActivities([ids]);
  const digests: string[] = [];
  for (let at = 0; at < 21; at++) digests.push((await rig.compiled(planOf(idsOf(`${at}`)))).digest);
  const read: string[] = [];
  const { store } = rig.dependencies;
  const counting = { ...store, get: (ref: string) => (read.push(ref), store.get(ref)) };
  const viewOf = createViews(counting, createRegistry([ids]));
  for (const digest of digests) await viewOf(digest);
  await viewOf(digests[20]!);
  expect(read).toHaveLength(21);
  await viewOf(digests[0]!);
  expect(read).toHaveLength(22);
});

test('a fault in more than 5 errors is none', () => {
  const within = (levels: number): Error =>
    levels === 1
      ? Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'write' })
      : new Error('around it', { cause: within(levels - 1) });
  expect(faultIn(within(5))).toBe('the disk: EIO');
  expect(faultIn(within(6))).toBeUndefined();
});
