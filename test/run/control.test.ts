import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CONTROL_ACTIONS, parseControl } from '../../src/run/control.ts';
import { nextDeadline, passDeadlines } from '../../src/run/deadlines.ts';
import { judge, takeEdit } from '../../src/run/hear.ts';
import { mayRun } from '../../src/run/may-run.ts';
import { skip } from '../../src/run/by-hand.ts';
import { fail, isFinished, NODE_STATUSES, startNext, succeed, type NodeStatus } from '../../src/run/progress.ts';
import { ask } from '../../src/run/questions.ts';
import { closeRun, endNode, type Run } from '../../src/run/run.ts';
import type { RunSlice } from '../../src/run/slice.ts';
import { statusOf } from '../../src/run/views.ts';
import { AT, executor, handle, later, openedRun, progressOf, say, sliceOf } from './make-run.ts';

const BROKE = { type: 'CRITICAL', message: 'broke' };
const control = (run: Run, action: string, over: object = {}, at = AT) =>
  say(run, 'control', { action, by: 'ana', ...over }, at);

/** An approved run whose first nodes are started. */
function running(inputs: RunSlice['inputs'], over: Partial<RunSlice> = {}, options: Partial<Run['options']> = {}): Run {
  const run = openedRun(sliceOf(inputs, over), { answerDeadlineMs: 1000, ...options });
  say(run, 'approve', { digest: '3fa9c1d2', by: 'ana' });
  startAll(run);
  return run;
}

function startAll(run: Run): number[] {
  const started: number[] = [];
  const isFree = (node: number) => mayRun({ digest: run.approval.digest, node }, run.approval).ok;
  for (let node = startNext(progressOf(run), isFree); node !== undefined; node = startNext(progressOf(run), isFree)) {
    started.push(node);
  }
  return started;
}

/** node_1 in this state, with node_2 standing on it. */
function inState(status: NodeStatus, settled = true): Run {
  const run = running([[], [0]]);
  const progress = progressOf(run);
  if (status === 'pending') return openedRun(sliceOf([[], [0]]));
  if (status === 'waiting') ask(run, 0, { text: 'which?' }, AT);
  if (status === 'succeeded' || status === 'reused') succeed(progress, 0, handle('r'), status);
  if (status === 'skipped') skip(progress, 0, { type: 'Skipped', message: 'skipped by ana' });
  if (status === 'cancelled') fail(progress, 0, 'cancelled', BROKE);
  if (status === 'failed' || status === 'uncertain') {
    run.options = { ...run.options, onFailure: settled ? 'fail' : 'ask' };
    endNode(run, 0, { ...BROKE, status }, AT, !settled);
  }
  return run;
}

/** What each action does to a node in each state: its state after, `=` where it is so already, `-` where it is refused. */
const TABLE: Record<string, Record<'cancel-node' | 'retry-node' | 'skip-node' | 'failed' | 'succeeded', string>> = {
  pending: { 'cancel-node': 'cancelled', 'retry-node': '=', 'skip-node': 'skipped', failed: '-', succeeded: '-' },
  running: { 'cancel-node': 'running', 'retry-node': '=', 'skip-node': '-', failed: '-', succeeded: '-' },
  waiting: { 'cancel-node': 'cancelled', 'retry-node': '=', 'skip-node': 'skipped', failed: '-', succeeded: '-' },
  succeeded: { 'cancel-node': '-', 'retry-node': '-', 'skip-node': '-', failed: '-', succeeded: '=' },
  reused: { 'cancel-node': '-', 'retry-node': '-', 'skip-node': '-', failed: '-', succeeded: '=' },
  failed: { 'cancel-node': '-', 'retry-node': 'pending', 'skip-node': '-', failed: '=', succeeded: '-' },
  skipped: { 'cancel-node': '-', 'retry-node': '-', 'skip-node': '=', failed: '-', succeeded: '-' },
  cancelled: { 'cancel-node': '=', 'retry-node': 'pending', 'skip-node': '-', failed: '-', succeeded: '-' },
  uncertain: { 'cancel-node': '-', 'retry-node': 'pending', 'skip-node': '-', failed: '-', succeeded: '-' },
  'failed, to be settled': {
    'cancel-node': '-',
    'retry-node': 'pending',
    'skip-node': 'skipped',
    failed: 'failed',
    succeeded: 'succeeded',
  },
  'uncertain, to be settled': {
    'cancel-node': '-',
    'retry-node': 'pending',
    'skip-node': 'skipped',
    failed: 'failed',
    succeeded: 'succeeded',
  },
};

describe('the table of every action on a node in every state', () => {
  for (const [state, row] of Object.entries(TABLE)) {
    for (const [action, expected] of Object.entries(row)) {
      test(`${action} on ${state}: ${expected}`, () => {
        const [status = 'pending', settling] = state.split(', ') as [NodeStatus, string?];
        const run = inState(status, settling === undefined);
        const before = progressOf(run).status[0];
        const resolve = action === 'failed' || action === 'succeeded';
        const over = resolve ? { outcome: action, ...(action === 'succeeded' && { value: 1 }) } : {};
        const heard = control(run, resolve ? 'resolve' : action, { node: 'node_1', ...over });
        expect(heard.ok).toBe(expected !== '-');
        if (!heard.ok)
          expect(heard).toMatchObject({
            refusal: 'not-possible',
            reason: expect.stringMatching(/^node_1 (has|is|was) /),
          });
        else if (expected === '=') expect(heard.reply).toContain('already');
        expect(progressOf(run).status[0]).toBe(expected === '-' || expected === '=' ? before : expected);
        const { total, ...counts } = statusOf(run).counts;
        expect(NODE_STATUSES.reduce((sum, one) => sum + counts[one], 0)).toBe(total);
        // Said once more it changes nothing and is no error.
        if (heard.ok && expected !== 'running') {
          const now = [...progressOf(run).status];
          expect(control(run, resolve ? 'resolve' : action, { node: 'node_1', ...over }).ok).toBe(true);
          expect(progressOf(run).status).toEqual(now);
        }
      });
    }
  }

  test('has a row for every status', () => {
    expect(Object.keys(TABLE).map((state) => state.split(',')[0])).toEqual(expect.arrayContaining([...NODE_STATUSES]));
  });
});

describe('pause and resume', () => {
  test('are taken at any moment and as often as they are said', () => {
    const run = running([[], [0]]);
    expect(
      [control(run, 'pause'), control(run, 'pause'), control(run, 'resume'), control(run, 'resume')].map(
        ({ ok }) => ok,
      ),
    ).toEqual([true, true, true, true]);
    control(run, 'pause');
    expect(statusOf(run).paused).toBe(true);
  });

  test('are not for a run that is closed', () => {
    const run = running([[]]);
    closeRun(run, 'expired', AT);
    for (const action of CONTROL_ACTIONS) {
      const over =
        action === 'pause' || action === 'resume'
          ? {}
          : { node: 'node_1', ...(action === 'resolve' && { outcome: 'failed' }) };
      expect(control(run, action, over)).toMatchObject({
        ok: false,
        refusal: 'closed',
        reason: 'the run is closed: expired',
      });
    }
  });
});

describe('cancel-node', () => {
  test('asks work under way to stop, and the question of a node to be asked no more', () => {
    const run = running([[], []]);
    let stopped = 0;
    run.flights.add({ node: 0, cancel: () => (stopped += 1) });
    control(run, 'cancel-node', { node: 'node_1' });
    expect(stopped).toBe(1);
    ask(run, 1, { text: 'which?' }, AT);
    control(run, 'cancel-node', { node: 'node_2' });
    expect(run.questions.size).toBe(0);
    expect(say(run, 'answer', { question: '3fa9c1d2.node_2', value: 1, by: 'ana' })).toMatchObject({
      refusal: 'not-possible',
    });
  });
});

describe('retry-node', () => {
  test('brings back what was skipped for the sake of the node, and only that', () => {
    const run = running([[], [], [0], [1], [2, 3]]);
    const progress = progressOf(run);
    fail(progress, 0, 'failed', BROKE);
    fail(progress, 1, 'failed', BROKE);
    control(run, 'retry-node', { node: 'node_1' });
    expect(progress.status).toEqual(['pending', 'failed', 'pending', 'skipped', 'skipped']);
    expect(progress.causes.get(4)).toBe(1);
    control(run, 'retry-node', { node: 'node_2' });
    expect(progress.status).toEqual(['pending', 'pending', 'pending', 'pending', 'pending']);
    for (let turn = 0; turn < 4; turn++) for (const node of startAll(run)) succeed(progress, node, handle(`r${node}`));
    expect(isFinished(progress)).toBe(true);
    expect(run.retries).toEqual(
      new Map([
        [0, 1],
        [1, 1],
      ]),
    );
  });

  test('of a node whose input failed meanwhile is refused, and names the one to repeat first', () => {
    const run = running([[], [0], [1]]);
    control(run, 'cancel-node', { node: 'node_2' });
    fail(progressOf(run), 0, 'failed', BROKE);
    expect(control(run, 'retry-node', { node: 'node_2' })).toMatchObject({
      ok: false,
      reason: 'node_2 waits for node_1, which has no result; retry that one first',
    });
    expect(control(run, 'retry-node', { node: 'node_3' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('because of node_2'),
    });
    control(run, 'retry-node', { node: 'node_1' });
    control(run, 'retry-node', { node: 'node_2' });
    expect(progressOf(run).status).toEqual(['pending', 'pending', 'pending']);
  });

  test('brings back what only follows a node that a person skipped', () => {
    // 2 follows 0 and needs 1.
    const run = running([[], [], [1]], { after: { 2: [0] } });
    endNode(run, 0, { ...BROKE, status: 'uncertain' }, AT, true);
    control(run, 'skip-node', { node: 'node_1' });
    fail(progressOf(run), 1, 'failed', BROKE);
    expect(progressOf(run).status).toEqual(['skipped', 'failed', 'skipped']);
    control(run, 'retry-node', { node: 'node_2' });
    expect(progressOf(run).status).toEqual(['skipped', 'pending', 'pending']);
  });

  test('that brings back what nobody approved waits for approval anew, however long ago that was asked', () => {
    const run = openedRun(sliceOf([[], []]), { approvalDeadlineMs: 1000 });
    say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest: '3fa9c1d2', by: 'ana' });
    startAll(run);
    control(run, 'cancel-node', { node: 'node_2' });
    expect(nextDeadline(run)).toBeUndefined();
    control(run, 'retry-node', { node: 'node_2' }, later(5000));
    passDeadlines(run, later(5000));
    expect(run.approval.phase).toBe('awaiting-approval');
    expect(nextDeadline(run)).toBe(later(6000));
    expect(say(run, 'approve', { digest: '3fa9c1d2', by: 'ana' }, later(5500))).toMatchObject({ ok: true });
    expect(startAll(run)).toEqual([1]);
  });
});

describe('resolve', () => {
  test('settles the node that was meant, also when an edit gives its id to another meanwhile', () => {
    const executors = [executor('at-most-once')];
    const run = running([[], []], { executors });
    endNode(run, 0, { ...BROKE, status: 'uncertain' }, AT, true);
    endNode(run, 1, { ...BROKE, status: 'uncertain' }, AT, true);
    // A person takes an approval back, so that the plan can be edited.
    say(run, 'decide', { kind: 'withdraw', digest: '3fa9c1d2', by: 'ana' });
    const judgement = judge(
      run,
      'control',
      { action: 'resolve', node: 'node_1', outcome: 'succeeded', value: 1, by: 'ana' },
      false,
      AT,
    );
    if (!judgement.ok || judgement.todo !== 'store') throw new Error('expected a value to be stored');
    const slice = sliceOf([[], []], { digest: 'e'.repeat(64), executors });
    const edit = { kind: 'edit', digest: '3fa9c1d2', by: 'ana', plan: {}, verified: false } as const;
    expect(takeEdit(run, edit, { slice, sameAs: [1, 0] }, AT)).toMatchObject({ ok: true });
    expect(judgement.take(handle('r'), AT)).toMatchObject({ ok: false, refusal: 'stale-digest' });
    expect(progressOf(run).status).toEqual(['uncertain', 'uncertain']);
  });

  test('is not for ever: what nobody settles stays as it is, and the run goes on', () => {
    const run = running([[], [0], []]);
    endNode(run, 0, { ...BROKE, status: 'uncertain' }, AT, true);
    expect(progressOf(run).status[1]).toBe('pending');
    expect(nextDeadline(run)).toBe(later(1000));
    passDeadlines(run, later(1000));
    expect(progressOf(run).status.slice(0, 2)).toEqual(['uncertain', 'skipped']);
    expect(nextDeadline(run)).toBeUndefined();
  });
});

describe('a control message', () => {
  test.each<[string, object, string, string]>([
    ['an unknown action', { action: 'stop' }, 'malformed', 'action: expected pause or resume or'],
    ['a node for pause', { action: 'pause', node: 'node_1' }, 'malformed', 'node: pause is about the whole run'],
    ['no node for skip', { action: 'skip-node' }, 'malformed', 'node: expected the id of a node'],
    ['a node that is no id', { action: 'skip-node', node: 'node_0' }, 'malformed', 'node: expected'],
    [
      'a node that is not there',
      { action: 'skip-node', node: 'node_9' },
      'unknown-node',
      'has no node_9; it has node_1 to node_2',
    ],
    ['a digest that is none', { action: 'skip-node', node: 'node_1', digest: '3f' }, 'malformed', 'digest: expected'],
    [
      'another plan',
      { action: 'skip-node', node: 'node_1', digest: 'ffffffff' },
      'stale-digest',
      'the open plan is 3fa9c1d2',
    ],
    ['no outcome', { action: 'resolve', node: 'node_1' }, 'malformed', 'outcome: expected succeeded or failed'],
    [
      'an outcome of skip',
      { action: 'skip-node', node: 'node_1', outcome: 'failed' },
      'malformed',
      'only resolve has one',
    ],
    [
      'success without value',
      { action: 'resolve', node: 'node_1', outcome: 'succeeded' },
      'malformed',
      'value: expected the result',
    ],
    [
      'failure with value',
      { action: 'resolve', node: 'node_1', outcome: 'failed', value: 1 },
      'malformed',
      'value: only resolve',
    ],
    ['nobody', { action: 'pause', by: ' ' }, 'malformed', 'by: expected the name'],
    ['nobody to be seen', { action: 'pause', by: '\u200b' }, 'malformed', 'by: expected the name'],
    ['an unknown key', { action: 'pause', why: 1 }, 'malformed', 'unknown key "why"'],
  ])('is refused: %s', (_, over, refusal, reason) => {
    const run = running([[], [0]]);
    expect(say(run, 'control', { by: 'ana', ...over })).toMatchObject({
      ok: false,
      refusal,
      reason: expect.stringContaining(reason),
    });
    expect(run.trace.entries.at(-1)).toMatchObject({ what: 'refused', said: { refusal } });
  });

  test('before there is a plan is early', () => {
    const run = running([[]]);
    run.progress = undefined;
    expect(control(run, 'skip-node', { node: 'node_1' })).toMatchObject({ refusal: 'early' });
    expect(control(run, 'pause')).toMatchObject({ refusal: 'early' });
  });

  test('is read without a throw, whatever arrives', () => {
    const run = running([[], [0]]);
    fc.assert(
      fc.property(fc.anything(), (payload) => {
        expect(parseControl(payload)).toHaveProperty('ok');
        judge(run, 'control', payload, false, AT);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});
