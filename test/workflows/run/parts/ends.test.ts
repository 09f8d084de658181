/** How the nodes of a part land: by news that count once, with the reply, or back where they were. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packEnds } from '../../../../src/protocol/index.ts';
import { openExecution } from '../../../../src/workflows/run/run.ts';
import { fail, setStatus, startNext, succeed } from '../../../../src/workflows/run/nodes/progress.ts';
import { returnNode } from '../../../../src/workflows/run/nodes/skip-and-reset.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { BROKE, handle, progressOf, say, turn, underWay, refsOf } from '../make-run.ts';
import { breaks } from '../replan-run.ts';
import {
  done,
  editReads,
  endedWith,
  LOST,
  news,
  onlyPart,
  partRun,
  partShape,
  READ,
  readingRun,
  replied,
  scheduled,
  signalled,
} from './part-run.ts';

/** Four reads, the last of which takes the first two. */
function opened(): { readonly run: Run; readonly name: string } {
  const run = partRun(partShape([[], [], [], [0, 1]]));
  const [name] = onlyPart(run);
  scheduled(run, name);
  return { run, name };
}

function seen(run: Run) {
  const { status, failures, causes, handles } = progressOf(run);
  const parts = [...run.parts].map(([name, { open }]) => [name, open]);
  const trace = run.state.trace.entries.map(({ text }) => text);
  return structuredClone({
    status,
    failures,
    causes,
    handles,
    parts,
    trace,
    work: Object.keys(run.tasks).map(Number),
  });
}

describe('news of a part', () => {
  test('land its nodes while it goes on', () => {
    const { run } = opened();
    news(run, [done(0)], [2]);
    expect(progressOf(run).status).toEqual(['succeeded', 'running', 'pending', 'running']);
    expect(onlyPart(run)[1].open).toBe(2);
    // What was given back has an activity of its own.
    turn(run);
    expect(run.tasks[5]).toEqual({ kind: 'node', node: 2 });
  });

  const ends = packEnds([done(0)]);

  test.each<[string, unknown]>([
    ['with another key', { key: 'guess', ends }],
    ['without a word', { ends }],
    ['with a key that its part has not', { key: 'undefined', ends }],
    ['without ends', { key: 'secret' }],
    ['of columns that do not belong together', { key: 'secret', ends: { ...ends, done: { ...ends.done, refs: '' } } }],
    ['of nodes that are not in it', { key: 'secret', ends: packEnds([done(4), done(99)], { alone: [4000] }) }],
    ['that are a text', 'secret'],
    ['that are nothing', undefined],
  ])('%s change nothing', (_, message) => {
    const { run } = opened();
    const before = seen(run);
    signalled(run, message);
    expect(seen(run)).toEqual(before);
  });

  test('before its activity is scheduled change nothing', () => {
    const run = partRun(partShape([[], []]));
    const before = seen(run);
    for (const key of [undefined, 'secret', '']) signalled(run, { key, ends });
    expect(seen(run)).toEqual(before);
  });

  test('after its end change nothing', () => {
    const { run, name } = opened();
    replied(
      run,
      name,
      [0, 1, 2, 3].map((node) => done(node)),
    );
    const before = seen(run);
    news(run, [done(0)]);
    endedWith(run, name, LOST);
    expect(seen(run)).toEqual(before);
  });

  test('that come twice count once, in whatever order, also with the reply', () => {
    const told = fc.array(fc.tuple(fc.nat(3), fc.boolean()), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(told, fc.nat(12), (all, until) => {
        const { run, name } = opened();
        const first = new Map<number, boolean>();
        for (const [node, isDone] of all) {
          news(run, isDone ? [done(node)] : [], isDone ? [] : [node]);
          if (!first.has(node)) first.set(node, isDone);
          const before = seen(run);
          news(run, [done(node)], [node]);
          expect(seen(run)).toEqual(before);
        }
        const rest = all.slice(0, until).flatMap(([node, isDone]) => (isDone ? [done(node)] : []));
        replied(run, name, rest);
        expect(run.parts.size).toBe(0);
        expect(Object.keys(run.tasks).length).toBe(0);
        const { status } = progressOf(run);
        for (const [node, isDone] of first) {
          expect([status[node], run.execution?.individual?.[node] !== undefined]).toEqual(
            isDone ? ['succeeded', false] : ['pending', true],
          );
        }
      }),
    );
  });
});

describe('the end of a part', () => {
  test('brings back what it does not tell of', () => {
    const { run, name } = opened();
    replied(run, name, [done(0), done(2)]);
    expect(progressOf(run).status).toEqual(['succeeded', 'pending', 'succeeded', 'pending']);
    turn(run);
    expect(onlyPart(run)[1]).toMatchObject({ nodes: [1, 3], again: [1, 3] });
  });

  test.each([
    ['a handle of a single node', handle('r')],
    ['nothing', undefined],
    ['what only looks like given back', { givenBack: true }],
    ['half of a reply', { done: {} }],
    ['a text', 'done'],
  ])('with %s fails its nodes', (_, value) => {
    const { run, name } = opened();
    news(run, [done(0)]);
    endedWith(run, name, { ok: true, value });
    const { status, failures } = progressOf(run);
    expect(status).toEqual(['succeeded', 'failed', 'failed', 'failed']);
    expect(failures[1]).toEqual({
      type: 'FATAL',
      message: 'its part was completed with what is no reply of a part',
    });
    expect([run.parts.size, Object.keys(run.tasks).length]).toEqual([0, 0]);
    turn(run);
    expect(run.state.approval.closed?.outcome).toBe('failed');
  });

  test('by a bound brings back all nodes that it has not told', () => {
    const { run, name } = opened();
    news(run, [done(0)]);
    endedWith(run, name, LOST);
    expect(progressOf(run).counts).toMatchObject({ failed: 0, succeeded: 1, pending: 3 });
    turn(run);
    expect(onlyPart(run)[1].nodes).not.toContain(0);
  });

  test('without a reply brings back all nodes where it was told to stop and its worker is gone', () => {
    const { run, name } = opened();
    say(run, 'control', { action: 'pause', by: 'operator' });
    endedWith(run, name, LOST);
    turn(run);
    expect(progressOf(run).counts).toMatchObject({ failed: 0, pending: 4 });
    expect(Object.keys(run.tasks).length).toBe(0);
    say(run, 'control', { action: 'resume', by: 'operator' });
    turn(run);
    expect(onlyPart(run)[1]).toMatchObject({ nodes: [0, 1, 2, 3], again: [0, 1, 2, 3] });
  });

  test('that was cancelled from outside brings back all nodes', () => {
    const { run, name } = opened();
    endedWith(run, name, {
      ...LOST,
      end: { status: 'cancelled', type: 'Cancelled', message: 'cancelled' },
    } as typeof LOST);
    expect(progressOf(run).counts).toMatchObject({ failed: 0, pending: 4 });
  });

  test('that was held as a whole holds its nodes, which go alone then', () => {
    const { run, name } = opened();
    endedWith(run, name, { ok: true, value: { deferred: 'version', reason: 'another version' } });
    expect(progressOf(run).counts).toMatchObject({ failed: 0, pending: 4 });
    expect(Object.keys(run.execution!.backoffs).map(Number)).toEqual([0, 1, 2, 3]);
  });

  test('by a fault of the store holds the run until the fault is over', () => {
    const { run, name } = opened();
    endedWith(run, name, { ok: true, value: { deferred: 'fault', reason: 'ENOSPC' } });
    turn(run);
    expect(run.state.backoff).toMatchObject({ reason: 'ENOSPC' });
    expect(underWay(run)).toEqual([]);
  });
});

describe('a node that is given back', () => {
  test('is skipped where its input has failed meanwhile, with that as the cause', () => {
    const { run, name } = opened();
    news(run, [], [0]);
    turn(run);
    breaks(run, 0);
    replied(run, name, []);
    const { status, causes } = progressOf(run);
    expect([status[3], causes[3]]).toEqual(['skipped', 0]);
    expect(status[1]).toBe('pending');
  });

  test('is skipped with the first cause, however far below', () => {
    const { progress } = openExecution(partShape([[], [0], [1], [2]]), 10);
    expect(startNext(progress)).toBe(0);
    setStatus(progress, 3, 'running');
    fail(progress, 0, 'failed', BROKE);
    expect(progress.status).toEqual(['failed', 'skipped', 'skipped', 'running']);
    returnNode(progress, 3);
    expect([progress.status[3], progress.causes[3]]).toEqual(['skipped', 0]);
    expect(progress.counts).toMatchObject({ running: 0, skipped: 3 });
  });

  test('bars with its executor the nodes of that which have not ended, and no others', () => {
    const planShape = partShape([[], [], [], [], [0]], {
      executors: [READ, { ...READ, label: 'capability other@1 read' }],
      executorOf: [0, 0, 1, 1, 0],
    });
    const run = partRun(planShape);
    scheduled(run, onlyPart(run)[0]);
    news(run, [done(1)], [0], [READ.label]);
    expect(Object.keys(run.execution?.individual ?? []).map(Number)).toEqual([0, 4]);
  });

  test('waits as before where its input is under way, and starts when that has ended', () => {
    const { progress } = openExecution(partShape([[], [0]]), 10);
    startNext(progress);
    setStatus(progress, 1, 'running');
    returnNode(progress, 1);
    expect([progress.status[1], startNext(progress)]).toEqual(['pending', undefined]);
    succeed(progress, 0, handle('r'));
    expect(startNext(progress)).toBe(1);
  });
});

describe('an edit while a part is under way', () => {
  test('lands its nodes on their new places, and uses nothing of the others', () => {
    const { run, name } = readingRun(4);
    scheduled(run, name);
    // The second and the fourth stay, as the first and the second.
    editReads(run, 3, [1, 3]);
    expect(progressOf(run).status).toEqual(['running', 'running', 'running', 'pending']);
    news(run, [done(3, 'd'.repeat(43)), done(0, 'x'.repeat(43))]);
    replied(run, name, [done(1, 'b'.repeat(43))]);
    const { handles, status } = progressOf(run);
    expect(status).toEqual(['succeeded', 'succeeded', 'running', 'pending']);
    expect(refsOf(handles)).toEqual({ 0: 'b'.repeat(43), 1: 'd'.repeat(43) });
    const texts = run.state.trace.entries.map(({ text }) => text);
    expect(texts.filter((text) => text.endsWith('this plan does not use it'))).toEqual([
      'node_1 of revision 1 has succeeded; this plan does not use it',
      'node_3 of revision 1 was stopped with its part; this plan does not use it',
    ]);
    expect([run.parts.size, underWay(run)]).toEqual([0, [2]]);
  });
});
