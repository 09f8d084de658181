/** One beyond each bound of what a run takes, keeps and shows: docs/bounds.md says what happens then. */

import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { failureConverter } from '../../../src/workflows/failure-converter.js';
import { payloadConverter } from '../../../src/workflows/payload-converter.js';
import { durationMs } from '../../../src/protocol/index.ts';
import type { PlanIssue } from '../../../src/plan/index.ts';
import { record } from '../../../src/workflows/approval/approval.ts';
import { problemsIn } from '../../../src/workflows/run/draft.ts';
import { holdAgain, reasonOf } from '../../../src/workflows/run/held.ts';
import { observationOf, openLoop } from '../../../src/workflows/loop/loop.ts';
import { parsePlanInput } from '../../../src/protocol/read-input.ts';
import { reportRequest } from '../../../src/workflows/run/report.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import { awaited } from '../../../src/workflows/views/awaited.ts';
import { detailsOf } from '../../../src/workflows/views/details.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { nodeOf, nodesOf, statusOf } from '../../../src/workflows/views/views.ts';
import { openPlan } from '../../../src/workflows/run/start.ts';
import { handOver } from '../../../src/workflows/run/hand-over.ts';
import { parseAnswer, parseControl } from '../../../src/workflows/run/talk/read-message.ts';
import { receive } from '../../../src/workflows/run/talk/mailbox.ts';
import { USAGE } from '../../support/scripted-planner.ts';
import { manyAsking } from './asking-run.ts';
import {
  approvedRun,
  AT,
  bring,
  BROKE,
  executor,
  handle,
  landed,
  later,
  NO_PROJECT,
  openedRun,
  say,
  sliceOf,
  turn,
  underWay,
  wideSlice,
} from './make-run.ts';

const long = (length: number) => 'x'.repeat(length);
const cut = (most: number) => `${long(most - 1)}…`;
const DAY = 86_400_000;

describe('the input of a run', () => {
  const PLAN = { type: 'task', task: 'A' };
  const problemsOf = (input: object) => {
    const parsed = parsePlanInput(input);
    return parsed.ok ? [] : parsed.problems;
  };

  test.each<[string, number, (most: number) => object]>([
    ['concurrency', 1000, (concurrency) => ({ plan: PLAN, options: { concurrency } })],
    ['goal', 20_000, (length) => ({ goal: long(length) })],
    ['maxRounds', 10_000, (maxRounds) => ({ goal: 'g', options: { maxRounds } })],
    ['conversation', 200, (length) => ({ plan: PLAN, options: { conversation: long(length) } })],
    ['reuse', 1000, (length) => ({ plan: PLAN, options: { reuse: long(length) } })],
    ['maxRevisions', 100, (maxRevisions) => ({ plan: PLAN, options: { maxRevisions } })],
    ['maxRejections', 100, (maxRejections) => ({ plan: PLAN, options: { maxRejections } })],
    ['approvalDeadline', 365 * DAY, (approvalDeadline) => ({ plan: PLAN, options: { approvalDeadline } })],
  ])('%s is refused above %i', (name, most, input) => {
    expect(problemsOf(input(most))).toEqual([]);
    expect(problemsOf(input(most + 1))).toEqual([expect.stringContaining(name)]);
  });

  test('has defaults, which are the bounds of a run that names none', () => {
    expect(parsePlanInput({ plan: PLAN })).toMatchObject({
      options: { concurrency: 100, maxRevisions: 20, maxRejections: 1, approvalDeadlineMs: DAY, answerDeadlineMs: DAY },
    });
    expect(durationMs(365 * DAY + 1)).toBeUndefined();
  });

  test('with 6 problems is refused with 5 of them, and how many more there are', () => {
    const options = {
      concurrency: 0,
      maxRounds: 0,
      maxRevisions: -1,
      conversation: '',
      reuse: '',
      approvalDeadline: 0,
    };
    const { failure } = openPlan('plan-1', AT, { plan: PLAN, options }, { chain: 'c' }).dialogue;
    expect(failure?.message).toMatch(/; and [12] more lines of problems in the details$/);
    expect(failure?.message.match(/\$\.options/g)).toHaveLength(5);
  });
});

describe('what is begun at once', () => {
  test('of 7 agents 6 are at work', () => {
    const agent = { ...executor('read', 'desk'), kind: 'agent' as const };
    expect(underWay(approvedRun(wideSlice(7, { executors: [agent] })))).toHaveLength(6);
  });

  test('of 101 nodes that are ready 100 are at work', () => {
    expect(underWay(approvedRun(wideSlice(101)))).toHaveLength(100);
  });
});

describe('a message', () => {
  test.each([
    ['a name', { action: 'pause', by: long(201) }, 'by: expected the name of who says it, at most 200'],
    ['a role', { action: 'pause', by: 'operator', role: long(201) }, 'role: expected a text of at most 200'],
  ])('with %s of 201 characters is refused', (_, message, reason) => {
    expect(parseControl(message)).toMatchObject({ ok: false, reason: expect.stringContaining(reason) as string });
  });

  test('about a question whose id has 101 characters is refused', () => {
    const answer = (length: number) => parseAnswer({ question: long(length), value: 1, by: 'operator' });
    expect([answer(100).ok, answer(101).ok]).toEqual([true, false]);
  });

  test('about no question is told 10 of the 11 that are open', () => {
    const reply = say(manyAsking(11), 'answer', { question: 'none', value: 1, by: 'operator' });
    expect(reply).toMatchObject({ refusal: 'unknown-question' });
    expect(JSON.stringify(reply).match(/3fa9c1d2\.node_/g)).toHaveLength(10);
  });

  test('with an edit of 6 problems is refused with 5 of them', () => {
    const issue: PlanIssue = { code: 'invalid-json', severity: 'error', path: '$', message: 'Wrong.' };
    const told = problemsIn(Array.from({ length: 6 }, () => issue));
    expect(told).toBe(`6 problems. ${'$: Wrong. '.repeat(5)}And 1 more.`);
  });
});

describe('what is held', () => {
  test('101 times is given up, and so is what has waited 5 minutes for another version', () => {
    const before = (times: number, by?: 'version') => ({ times, since: AT, until: AT, reason: 'r', by }) as never;
    expect(holdAgain(before(98), { held: 'r' }, AT)).not.toBeUndefined();
    expect(holdAgain(before(100), { held: 'r' }, AT)).toBeUndefined();
    expect(holdAgain(before(1, 'version'), { held: 'r', by: 'version' }, later(299_999))).not.toBeUndefined();
    expect(holdAgain(before(1, 'version'), { held: 'r', by: 'version' }, later(300_000))).toBeUndefined();
  });

  test('says why in 500 bytes', () => {
    expect([Buffer.byteLength(reasonOf(long(501))), reasonOf(long(500))]).toEqual([500, long(500)]);
  });
});

describe('the summary of the timer', () => {
  const asks = (roles: readonly string[], summary = 'node') => {
    const run = openedRun(sliceOf([[]], { summaries: [summary] }), { approval: { rules: [{ roles: [...roles] }] } });
    return awaited(run, run.dialogue.approval.deadline ?? '');
  };

  test('has 40 characters of roles', () => {
    expect(asks([long(40)])).toContain(`by ${long(40)},`);
    expect(asks([long(41)])).toContain(`by ${cut(40)},`);
  });

  test('has 40 characters of a fault', () => {
    const run = openedRun(sliceOf([[]]));
    run.dialogue.fault = { times: 1, since: AT, until: AT, reason: long(41), deadline: AT };
    expect(awaited(run, AT)).toContain(`waits for ${cut(40)}`);
  });

  test('has 180 bytes', () => {
    const run = approvedRun(sliceOf([[]], { summaries: [long(300)] }), { approval: 'effects' } as never);
    bring(run, 0, { asks: { text: 'which?' } });
    expect(Buffer.byteLength(awaited(run, later(1)))).toBe(180);
  });
});

describe('a view of a run', () => {
  test('has 200 nodes on a page, and at most 500', () => {
    const run = openedRun(wideSlice(501));
    expect([nodesOf(run).nodes.length, nodesOf(run, { limit: 501 }).nodes.length]).toEqual([200, 500]);
  });

  test('has 500 characters of a failure, and 200 in the details', () => {
    const run = approvedRun(wideSlice(1));
    bring(run, 0, { type: 'CRITICAL', message: long(501), status: 'failed' });
    expect(nodeOf(run, 0).failure?.message).toBe(cut(500));
    expect(detailsOf(run)).toContain(`, ${cut(200)}\n`);
  });

  test('names 20 of 21 inputs, and counts them', () => {
    const inputs = Array.from({ length: 21 }, () => [] as number[]);
    const run = openedRun(sliceOf([...inputs, inputs.map((_, node) => node)]));
    const { inputs: named, inputCount } = nodeOf(run, 21);
    expect([named?.length, inputCount]).toEqual([20, 21]);
  });

  test('tells 100 of 101 agents that are at work', () => {
    const run = approvedRun(wideSlice(101), { concurrency: 1000 });
    for (const work of run.work.keys())
      run.dialogue.children.set(`agent-${work}`, { work, waitingFor: 0, isStarted: true } as never);
    expect(statusOf(run).children).toHaveLength(100);
  });

  test('names 8 of 9 who have approved, and 8 of 9 roles', () => {
    const run = openedRun(sliceOf([[]]), { approval: { rules: [{ count: 10 }] } });
    for (let at = 0; at < 9; at++) say(run, 'approve', { digest: '3fa9c1d2', by: `person ${at}` });
    const [item] = questionsOf(run);
    expect(item?.text.match(/person/g)).toHaveLength(8);
    expect(item?.text).toContain('and 1 more');
    const roles = Array.from({ length: 9 }, (_, at) => `role ${at}`);
    const [other] = questionsOf(openedRun(sliceOf([[]]), { approval: { rules: [{ roles }] } }));
    expect(JSON.stringify(other?.send.input['role']).match(/role \d/g)).toHaveLength(8);
  });

  test('has 500 characters of a goal in an open item', () => {
    const [item] = questionsOf(openedRun(sliceOf([[]], { goal: long(501) })));
    expect(item?.text).toContain(`"${cut(500)}"`);
  });

  test('tells in the details 8 of 9 nodes that failed, and 40 lines of a plan', () => {
    const run = approvedRun(wideSlice(60));
    for (let node = 0; node < 9; node++) bring(run, node, { ...BROKE, status: 'failed' });
    expect(detailsOf(run).match(/\*\*failed\*\*, broke/g)).toHaveLength(8);
    const rows =
      detailsOf(openedRun(wideSlice(60), {}))
        .split('In full:')[0]!
        .match(/^ *- . node_/gm) ?? [];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(40);
  });
});

test('of 101 decisions the last 100 stay in the state', () => {
  let { approval } = openedRun(sliceOf([[]])).dialogue;
  const decision = { kind: 'approve', digest: '3fa9c1d2', nodes: 'all', verified: false } as const;
  for (let at = 0; at < 101; at++) approval = record(approval, { ...decision, by: `p${at}` } as never, AT);
  expect([approval.decisions.length, approval.decisions[0]?.by]).toEqual([100, 'p1']);
});

test('why a step has no result is told in 2000 characters', () => {
  const observed = observationOf(1, { status: 'failed', results: {}, message: long(2001) });
  expect(observed.message).toBe(cut(2000));
});

test('of 17 nodes of a step that failed 16 are told, in 500 characters each', () => {
  const failures = Array.from({ length: 17 }, (_, at) => [`step_1_${at}`, long(501)] as const);
  const { failures: told = {} } = observationOf(1, { status: 'failed', results: {}, message: undefined, failures });
  expect([Object.keys(told).length, told['step_1_0']]).toEqual([16, cut(500)]);
});

test('of 51 steps that were done a report names 50', () => {
  const run = approvedRun(wideSlice(52), { concurrency: 1000 });
  for (let node = 0; node < 51; node++) bring(run, node, handle('r'));
  expect(reportRequest(run).done).toHaveLength(50);
});

describe('what a run hands over', () => {
  test('goes into the store above 65,536 characters', () => {
    const saves = (characters: number) => {
      const steps = handOver(openedRun(sliceOf([[]], { goal: long(characters) })), () => []);
      return JSON.stringify(steps.next().value).startsWith('{"save"');
    };
    expect([saves(30_000), saves(65_536)]).toEqual([false, true]);
  });

  test('waits for a turn where more than 524,288 bytes have arrived beside it', () => {
    const handed = (bytes: number) => {
      const late = [{ is: 'message', text: '' }];
      late[0]!.text = long(bytes - JSON.stringify(late).length);
      const steps = handOver(openRun('plan-1', AT), () => late as never);
      for (let step = steps.next(); ; step = steps.next([])) if (step.done === true) return Object.keys(step.value);
    };
    expect([handed(524_288), handed(524_289)]).toEqual([['resume'], ['stored']]);
  });
});

test('of 1001 updates the answer to the first is forgotten', () => {
  const run = openedRun(sliceOf([[]]));
  for (let at = 0; at < 1001; at++) {
    receive(run, { name: 'control', payload: { action: 'none' }, at: AT, update: `u${at}` });
    while (turn(run).more);
  }
  expect([run.dialogue.updates.size, run.dialogue.updates.has('u0'), run.dialogue.updates.has('u1')]).toEqual([
    1000,
    false,
    true,
  ]);
});

test('activities begin for messages of 500,000 characters in one turn, and one more', () => {
  const begun = (characters: number) => {
    const run = manyAsking(4);
    for (let node = 1; node <= 4; node++) {
      const payload = { question: `3fa9c1d2.node_${node}`, value: long(characters), by: 'operator' };
      receive(run, { name: 'answer', payload, at: AT });
    }
    return turn(run).begin.length;
  };
  expect([begun(100_000), begun(250_000), begun(500_000)]).toEqual([4, 2, 1]);
});

test('a payload that cannot be decoded says so in 200 characters', () => {
  const encoding = new TextEncoder().encode(long(201));
  const marker = payloadConverter.fromPayload({ metadata: { encoding }, data: new Uint8Array() });
  expect(marker).toMatchObject({ malformed: true, encoding: long(200) });
  expect((marker as { reason: string }).reason.length).toBe(200);
});

test('a failure has details of 1 MiB, and above that says how long they are', () => {
  const told = (bytes: number) => {
    const failure = ApplicationFailure.create({ message: 'm', details: [long(bytes - 2)] });
    const { applicationFailureInfo } = failureConverter.errorToFailure(failure, defaultPayloadConverter);
    return Buffer.from(applicationFailureInfo?.details?.payloads?.[0]?.data ?? []).toString();
  };
  expect(told(2 ** 20)).toHaveLength(2 ** 20);
  expect(told(2 ** 20 + 1)).toContain('"details of 1048577 bytes; a failure takes 1048576 at most"');
});

test('of a loop that names no bound 5 replies in a row may be no step', () => {
  const run = openRun('plan-1', AT);
  run.dialogue.loop = openLoop({ goal: 'g' }, 100);
  let rounds = 0;
  for (; run.dialogue.failure === undefined && rounds < 20; rounds++) {
    const [work] = turn(run).begin;
    if (work === undefined) break;
    const decision = { is: 'none', trouble: { severity: 'REPLANNING', message: 'no step' } };
    landed(run, work, { decision, notes: 'n', usage: USAGE, project: NO_PROJECT });
  }
  expect([rounds, run.dialogue.failure?.type]).toEqual([5, 'PlanFailed']);
});

test.each([
  [0, 5],
  [3, 5],
  [4, 10],
  [28, 640],
  [32, 640],
])('where messages never cease, after %i tasks %i of them are few', (tasks, few) => {
  const run = openRun('plan-1', AT);
  run.hold = { busy: tasks };
  const step = (count: number) =>
    handOver(run, () => Array.from({ length: count }, () => ({ is: 'message' })) as never).next().value;
  expect([step(few), step(few + 1)]).toMatchObject([{ resume: {} }, 'pause']);
});

test('a history does not end in a task that brings 6 messages', () => {
  const step = (count: number) => {
    const late = Array.from({ length: count }, () => ({ is: 'message' }));
    return handOver(openRun('plan-1', AT), () => late as never).next().value;
  };
  expect([step(5), step(6)]).toMatchObject([{ resume: {} }, 'pause']);
});
