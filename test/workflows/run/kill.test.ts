import { describe, expect, test } from 'vitest';
import type { RunOptions } from '../../../src/protocol/index.ts';
import { runResult } from '../../../src/workflows/run/ending.ts';
import { signalsToRuns, applyRunSignal } from '../../../src/workflows/run/agents.ts';
import { openLoop } from '../../../src/workflows/loop/loop.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import type { Verify } from '../../../src/workflows/run/talk/authenticate.ts';
import { receive } from '../../../src/workflows/run/talk/inbox.ts';
import { traceOf } from '../../../src/workflows/run/trace.ts';
import {
  approvedRun,
  AT,
  bring,
  executor,
  failed,
  handle,
  landed,
  openedRun,
  progressOf,
  say,
  sayAndWait,
  shapeOf,
  turn,
  underWay,
} from './make-run.ts';

const KILL = { action: 'kill', comment: 'the beam is lost', by: 'operator' };
const WHO = { by: 'operator', comment: 'the beam is lost' };
const KILLED = { ok: true, reply: 'killed; what is under way is asked to stop' };
const PAIR = shapeOf([[], [0]]);

function drafting(options: Partial<RunOptions> = {}): Run {
  const run = openRun('plan-1', AT);
  run.state.options = { ...run.state.options, ...options };
  run.state.source = { document: {} };
  turn(run);
  return run;
}

function deciding(): Run {
  const run = openRun('plan-1', AT);
  run.state.projectFacts = 'project';
  run.state.loop = openLoop({ goal: 'Find a' }, 10);
  turn(run);
  return run;
}

describe('Osprey: kill flag', () => {
  const approvedThen = (act: (run: Run) => unknown, options?: Parameters<typeof approvedRun>[1]) => () => {
    const run = approvedRun(PAIR, options);
    act(run);
    return run;
  };
  const broke = { status: 'failed', type: 'CRITICAL', message: 'broke' } as const;

  test.each<[string, () => Run]>([
    ['while it waits for approval', () => openedRun(PAIR)],
    ['while work is under way', () => approvedRun(PAIR)],
    ['while it is paused', approvedThen((run) => say(run, 'control', { action: 'pause', by: 'operator' }))],
    ['while it asks a person', approvedThen((run) => bring(run, 0, { asks: { text: 'which?' } }))],
    ['while a node waits to be settled', approvedThen((run) => bring(run, 0, broke), { onFailure: 'ask' })],
    ['while a loop decides', deciding],
    [
      'while a failed run words its report',
      () => {
        const run = openedRun(PAIR, {}, { inbox: false, planner: true });
        run.state.failure = { type: 'PlanFailed', message: 'broke', details: [{}] };
        turn(run);
        return run;
      },
    ],
  ])('ends a run at once, %s', (_, open) => {
    const run = open();
    const message = receive(run, { name: 'control', payload: KILL, at: AT });
    const { begin, cancel, replies, due } = turn(run);
    expect(replies).toEqual([{ message, reply: KILLED }]);
    expect([begin, due, cancel]).toEqual([[], undefined, Object.keys(run.tasks).map(Number)]);
    expect(statusOf(run)).toMatchObject({ phase: 'closed', outcome: 'aborted', waitingFor: 0, ...WHO });
    // Its work obeys, and there is nothing left.
    for (const id of Object.keys(run.tasks).map(Number))
      failed(run, id, { status: 'cancelled', type: 'Cancelled', message: 'c' });
    expect(turn(run)).toMatchObject({ begin: [], cancel: [], next: 'end' });
    expect(runResult(run)).toMatchObject({ outcome: 'aborted', ...WHO });
  });

  test('who and why are in the result, the status, the trace and the details', () => {
    const run = approvedRun(PAIR);
    say(run, 'control', { ...KILL, role: 'ops' });
    expect(statusOf(run)).toMatchObject({ ...WHO, reason: 'killed by operator: the beam is lost' });
    expect(runResult(run)).toEqual({ outcome: 'aborted', digest: PAIR.digest, revision: 1, ...WHO });
    expect(runDetails(run)).toContain('- operator **killed** it: the beam is lost');
    expect(traceOf(run.state.trace).entries.slice(-2)).toMatchObject([
      {
        what: 'control',
        text: `kill by operator (the beam is lost): ${KILLED.reply}`,
        said: { ...KILL, role: 'ops', digest: PAIR.digest, verified: false },
      },
      { what: 'closed', text: 'aborted: killed by operator: the beam is lost' },
    ]);
  });

  test('what had ended with a result keeps it, and what ends later with one too', () => {
    const run = approvedRun(shapeOf([[], [], [0, 1]]));
    bring(run, 0, handle('first'));
    say(run, 'control', KILL);
    bring(run, 1, handle('second'));
    turn(run);
    expect(progressOf(run).status).toEqual(['succeeded', 'succeeded', 'cancelled']);
    expect(runResult(run)).toMatchObject({ ...WHO, results: { node_1: { ref: 'first' }, node_2: { ref: 'second' } } });
  });

  test('an effect at most once that may have happened stays uncertain', () => {
    const run = approvedRun(shapeOf([[]], { executors: [executor('at-most-once')] }));
    say(run, 'control', KILL);
    bring(run, 0, { status: 'uncertain', type: 'Cancelled', message: 'cancelled' });
    expect(turn(run).next).toBe('end');
    expect([progressOf(run).status, run.execution?.unsettled]).toEqual([['uncertain'], {}]);
    expect(runResult(run)).toMatchObject({ outcome: 'aborted', uncertain: [{ node: 'node_1', revision: 1 }] });
  });

  test.each([
    ['none', {}],
    ['blank', { comment: ' \n' }],
    ['one that nobody sees', { comment: '\u200b' }],
    ['no text', { comment: 7 }],
  ])('needs a comment: %s is refused, with what to do', (_, over) => {
    const run = approvedRun(PAIR);
    const { comment: __, ...bare } = KILL;
    expect(say(run, 'control', { ...bare, ...over })).toMatchObject({
      ok: false,
      refusal: 'malformed',
      reason: expect.stringMatching(/^comment: expected /),
    });
    expect([statusOf(run).phase, underWay(run)]).toEqual(['running', [0]]);
    expect(say(run, 'control', bare)).toMatchObject({ reason: expect.stringContaining('say it again with a comment') });
  });

  test('no role and no rule holds it back', () => {
    const run = openedRun(PAIR, { approval: { rules: [{ roles: ['chief'], count: 2 }] } });
    expect(say(run, 'control', { ...KILL, role: 'guest' })).toEqual(KILLED);
  });

  test('said again it is killed already; from somebody else, or for another reason, it comes too late', () => {
    const run = approvedRun(PAIR);
    say(run, 'control', KILL);
    const entries = run.state.trace.last;
    expect(say(run, 'control', KILL)).toEqual({ ok: true, reply: 'it is killed already' });
    expect(run.state.trace.last).toBe(entries);
    for (const over of [{ by: 'reviewer' }, { comment: 'another' }]) {
      expect(say(run, 'control', { ...KILL, ...over })).toMatchObject({ refusal: 'closed' });
    }
    expect(statusOf(run)).toMatchObject(WHO);
  });
});

describe('Osprey: kill flag before there is a plan', () => {
  const KEYS = { keys: { ops: { x: 'x' } } };
  const signed = (message: object) => ({
    token: `e30.${Buffer.from(JSON.stringify({ message })).toString('base64url')}.${'A'.repeat(86)}`,
  });
  const { by, ...message } = KILL;
  const good: Verify = (_, { keys }) =>
    'ops' in keys ? { ok: true, by, message, until: 9e9 } : { ok: false, reason: 'no such key' };

  test('asks whether messages must be signed, and ends the run where they need not be', () => {
    const run = drafting();
    const [draft] = Object.keys(run.tasks).map(Number);
    const { work } = sayAndWait(run, 'control', KILL);
    expect(statusOf(run).phase).toBe('drafting');
    landed(run, work, { keys: {}, unsigned: true });
    expect(run.outbox.replies[0]?.reply).toEqual(KILLED);
    expect(turn(run)).toMatchObject({ begin: [], cancel: [draft] });
    // The plan is there after all: it opens nothing.
    landed(run, draft!, { ok: true, planShape: PAIR, project: { inbox: false } });
    expect([turn(run).next, run.execution]).toEqual(['end', undefined]);
    expect(runResult(run)).toMatchObject({ outcome: 'aborted', revision: 0, ...WHO });
    expect(runDetails(run)).toContain('killed');
  });

  test('is refused where they must be signed and it is not', () => {
    const run = drafting();
    const { work } = sayAndWait(run, 'control', KILL);
    landed(run, work, KEYS);
    expect(run.outbox.replies[0]?.reply).toMatchObject({ refusal: 'not-verified' });
    expect(statusOf(run).phase).toBe('drafting');
  });

  test('is heard where it is signed, though other signed messages are kept for the plan', () => {
    const run = drafting();
    expect(say(run, 'decide', signed({ kind: 'approve' }))).toMatchObject({ kept: true });
    const { work } = sayAndWait(run, 'control', signed(message));
    landed(run, work, KEYS);
    // By the key that the run has been told of.
    expect(run.outbox.replies[0]?.reply).toMatchObject({ refusal: 'not-verified' });
    expect(say(run, 'control', signed({ ...message, comment: 'again' }), AT, 'stored', good)).toEqual(KILLED);
  });

  test('says so where nobody can tell, and another may be said', () => {
    const run = drafting();
    const { work } = sayAndWait(run, 'control', KILL);
    failed(run, work, { status: 'failed', type: 'RETRIABLE', message: 'no worker' });
    expect(run.outbox.replies[0]?.reply).toMatchObject({
      refusal: 'failed',
      reason: expect.stringContaining('say it again, or cancel the run with Temporal'),
    });
    const again = sayAndWait(run, 'control', KILL);
    landed(run, again.work, { keys: {}, unsigned: true });
    expect(statusOf(run).outcome).toBe('aborted');
  });
});

describe('Osprey: kill flag of a run with agents', () => {
  const key = 'only they know it';

  test('the agents whose work is stopped are told who and why, before they are stopped', () => {
    const run = approvedRun(shapeOf([[], []]));
    const [first = 0, second = 0] = Object.keys(run.tasks).map(Number);
    const sent = { key, paused: false };
    const child = { key, waitingFor: 0, isStarted: true, sent };
    const out = () => ({ sent: JSON.stringify(sent) });
    const to = 'plan-1.node_1';
    run.state.children[to] = { ...child, task: first, out: out() };
    run.state.children['plan-1.node_2'] = { ...child, task: second, isStarted: false, out: out() };
    expect(signalsToRuns(run, AT)).toEqual([]);
    receive(run, { name: 'control', payload: KILL, at: AT });
    const { runSignals, cancel } = turn(run);
    // What has no run yet is stopped at once.
    expect(cancel).toEqual([second]);
    expect(runSignals).toEqual([{ to, message: { key, paused: false, killed: WHO } }]);
    expect(signalsToRuns(run, AT)).toEqual([]);
    const taken = { is: 'signalled', to, outcome: 'taken', at: AT } as const;
    expect(turn(run, AT, { arrivals: [taken] }).runSignals).toEqual([{ to, cancel: true }]);
    expect(turn(run, AT, { arrivals: [taken] }).runSignals).toEqual([]);
  });

  test('an agent that is told ends the same way; who does not know the word is not heard', () => {
    const run = deciding();
    run.state.parent = { key, out: {} };
    for (const message of [{ key: 'a guess', killed: WHO }, { killed: WHO }, { key, killed: { by: 1 } }]) {
      applyRunSignal(run, message, AT);
      expect(statusOf(run).phase).not.toBe('closed');
    }
    applyRunSignal(run, { key, killed: WHO }, AT);
    expect(turn(run).cancel).toEqual(Object.keys(run.tasks).map(Number));
    expect(runResult(run)).toMatchObject({ outcome: 'aborted', ...WHO });
    expect(traceOf(run.state.trace).entries.at(-2)?.text).toContain('the run whose task this is was killed');
  });
});
