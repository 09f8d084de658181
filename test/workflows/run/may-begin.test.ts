/** What a run says to a worker that is about to begin an effect, and what becomes of a node that was held back. */

import { numbered } from '../../../src/workflows/run/records.ts';
import { describe, expect, test } from 'vitest';
import { nodesOf } from '../../../src/workflows/views/views.ts';
import { permissionOf } from '../../../src/workflows/run/may-begin.ts';
import { openPlanRun } from '../../../src/workflows/run/starter.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { beginTask, cancelTask } from '../../../src/workflows/run/tasks.ts';
import {
  approvedRun,
  AT,
  bring,
  DIGEST,
  edit,
  executor,
  handle,
  landed,
  later,
  openedRun,
  say,
  turn,
  wideShape,
} from './make-run.ts';

const writes = (nodes = 2) => wideShape(nodes, { executors: [executor('at-most-once')] });
const control = (run: Run, action: string, over: object = {}) =>
  say(run, 'control', { action, by: 'operator', ...over });
const digest = DIGEST.slice(0, 8);
/** The first node is under way, and the other waits for approval. */
function halfApproved(): Run {
  const run = openedRun(writes());
  say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest, by: 'operator' });
  return run;
}
const editAway = (run: Run) => edit(run, { ...writes(), digest: 'b'.repeat(64) }, [-1, 1]);

test('an agent is held by a pause, a cancellation and a killing of the run whose task it has, whatever its word', () => {
  const run = approvedRun(writes());
  expect(permissionOf(run, { agent: 'word' })).toEqual({ ok: true });
  control(run, 'pause');
  expect(permissionOf(run, { agent: 'word' })).toEqual({ ok: false, reason: 'the run whose task this is is paused' });
  control(run, 'resume');
  expect(permissionOf(run, { agent: 'word' })).toEqual({ ok: true });
  run.state.cancelled = true;
  expect(permissionOf(run, { agent: 'word' })).toMatchObject({ ok: false });
});

describe('an effect that was started and has not begun', () => {
  test('may begin while nobody says otherwise', () => {
    const run = approvedRun(writes());
    expect([permissionOf(run, 1), permissionOf(run, 2)]).toEqual([{ ok: true }, { ok: true }]);
  });

  test.each<[string, (run: Run) => unknown, string]>([
    ['paused', (run) => control(run, 'pause'), 'the run is paused'],
    ['taken back', (run) => say(run, 'decide', { kind: 'withdraw', digest, by: 'operator' }), 'is not approved'],
    ['asked to stop', (run) => control(run, 'cancel-node', { node: 'node_1' }), 'asked to stop by operator'],
    ['edited away', (run) => editAway(run), 'the plan is another one now'],
    ['cancelled', (run) => (run.state.cancelled = true), 'the run is cancelled'],
    ['ended', (run) => landed(run, 1, handle('r')), 'the run does not wait for it'],
  ])('may not once it is %s', (_, happens, reason) => {
    const run = halfApproved();
    happens(run);
    expect(permissionOf(run, 1)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  test('may not once the plan was rejected', () => {
    const rules = [{ effect: 'idempotent' as const, count: 1 }];
    const run = openedRun(writes(), { approval: { rules }, maxRejections: 3 });
    say(run, 'approve', { digest, by: 'operator' });
    say(run, 'decide', { kind: 'withdraw', digest, by: 'operator' });
    say(run, 'reject', { digest, by: 'operator' });
    expect(permissionOf(run, 1)).toEqual({ ok: false, reason: 'the plan was rejected and waits for an edit' });
  });

  test.each([undefined, null, 0, -1, 3, 1.5, '1', [1], {}, Number.NaN])('is not known as %j', (id) => {
    expect(permissionOf(approvedRun(writes()), id)).toEqual({ ok: false, reason: 'the run does not wait for it' });
  });
});

describe('a node that was held back', () => {
  test('waits as if it had not been started, and starts again when it may', () => {
    const run = approvedRun(writes());
    control(run, 'pause');
    landed(run, 1, { deferred: 'run', reason: 'the run is paused' }, later(5));
    expect(turn(run).begin).toEqual([]);
    expect(nodesOf(run).nodes.map(({ status }) => status)).toEqual(['pending', 'running']);
    expect(run.state.trace.entries.at(-1)).toMatchObject({
      what: 'node',
      text: 'node_1 was held back before it began: the run is paused',
    });
    control(run, 'resume');
    expect(run.tasks[3]).toEqual({ kind: 'node', node: 0 });
  });

  test('is cancelled where a person has cancelled it, with no effect that is uncertain', () => {
    const run = approvedRun(writes());
    control(run, 'cancel-node', { node: 'node_1' });
    landed(run, 1, { deferred: 'run', reason: 'node_1 was asked to stop by operator' });
    expect(nodesOf(run).nodes[0]).toMatchObject({ status: 'cancelled', failure: { message: 'cancelled by operator' } });
  });

  test('is told of and let go where an edit has left it out', () => {
    const run = halfApproved();
    editAway(run);
    landed(run, 1, { deferred: 'run', reason: 'the plan is another one now' });
    expect(run.state.trace.entries.at(-1)?.text).toBe('node_1 of revision 1 has not begun; this plan does not use it');
  });

  test('fails in the end where nothing speaks against it and it is held back all the same', () => {
    const run = approvedRun(writes(1));
    for (let times = 1; times <= 100; times += 1) {
      expect(nodesOf(run).nodes[0]?.status).toBe('running');
      bring(run, 0, { deferred: 'run', reason: 'no answer' } as never);
      turn(run);
    }
    expect(nodesOf(run).nodes[0]).toMatchObject({
      status: 'failed',
      failure: { type: 'RETRIABLE', message: expect.stringContaining('no answer; it was tried often enough') },
    });
  });

  test('says no more of the reason than fits, whoever gave it', () => {
    const run = approvedRun(writes());
    landed(run, 1, { deferred: 'run', reason: 'x'.repeat(1_000_000) });
    expect(run.state.trace.entries.at(-1)!.text.length).toBeLessThan(700);
  });
});

describe('work that asks a model', () => {
  const deciding = () => {
    const run = openedRun(writes());
    beginTask(run, { kind: 'decide' });
    return { run, id: run.lastTaskId };
  };

  test.each<[string, (run: Run) => unknown, string]>([
    ['paused', (run) => (run.state.paused = true), 'the run is paused'],
    ['part of a run that is paused', (run) => (run.state.parentPaused = true), 'the run whose task this is is paused'],
    ['cancelled', (run) => (run.state.cancelled = true), 'the run is cancelled'],
    ['killed', (run) => control(run, 'kill', { comment: 'enough' }), 'asked to stop by the end of the run'],
    [
      'asked to stop',
      (run) => cancelTask(run, run.lastTaskId, 'the end of the run'),
      'asked to stop by the end of the run',
    ],
  ])('may while nobody says otherwise, and not once the run is %s', (_, happens, reason) => {
    const { run, id } = deciding();
    expect(permissionOf(run, id)).toEqual({ ok: true });
    happens(run);
    expect(permissionOf(run, id)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });
});

test('a decision that waited for a worker is not bought while a message waits for the keys by which it is checked', () => {
  const run = openPlanRun('run-1', AT, { goal: 'Find it', options: { mode: 'reactive' } }, { firstRunId: 'c' });
  turn(run);
  const [decision] = Object.keys(run.tasks).map(Number);
  expect(Object.values(run.tasks).map(({ kind }) => kind)).toEqual(['decide']);
  expect(permissionOf(run, decision)).toEqual({ ok: true });
  const payload = { action: 'pause', by: 'operator' };
  turn(run, AT, { arrivals: [{ name: 'control', payload, at: AT }] });
  const keys = [...numbered(run.tasks)].find(([, { kind }]) => kind === 'message')?.[0] ?? 0;
  expect(permissionOf(run, decision)).toEqual({ ok: false, reason: expect.stringContaining('may be a pause') });
  // Nor does it come again before that is known.
  landed(run, decision ?? 0, { deferred: 'run', reason: 'not checked' });
  expect(turn(run).begin).toEqual([]);
  landed(run, keys, { keys: {}, unsigned: true });
  expect(turn(run).begin).toEqual([]);
  expect(run.state.paused).toBe(true);
  expect(permissionOf(run, decision)).toEqual({ ok: false, reason: 'the run is paused' });
  say(run, 'control', { action: 'resume', by: 'operator' });
  expect(run.tasks[decision ?? 0]?.isDeferred).toBeUndefined();
  expect(permissionOf(run, decision)).toEqual({ ok: true });
});
