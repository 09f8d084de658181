/** A signed start: what is read of it, when it is verified, and with which rules a run does not begin. */

import { numbered } from '../../../src/workflows/run/records.ts';
import { describe, expect, test } from 'vitest';
import { type ApprovalRule, type ProjectPolicy, NO_USAGE } from '../../../src/protocol/index.ts';
import { createKeyPair, publicKeysOf, signMessage } from '../../../src/protocol/identity/index.ts';
import { verifyToken } from '../../../src/protocol/identity/token/index.ts';
import { parsePlanInput, signedInput } from '../../../src/protocol/read-input.ts';
import { openPlanRun, openTaskRun } from '../../../src/workflows/run/starter.ts';
import { applyEnd } from '../../../src/workflows/run/arrive.ts';
import { openLoop } from '../../../src/workflows/loop/loop.ts';
import { subjectOf } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import type { Verify } from '../../../src/workflows/run/talk/authenticate.ts';
import { applyEdit } from '../../../src/workflows/run/talk/apply.ts';
import {
  approvedRun,
  AT,
  DIGEST,
  executor,
  landed,
  later,
  openedRun,
  say,
  shapeOf,
  turn,
  underWay,
} from './make-run.ts';

const operator = createKeyPair();
const keys = publicKeysOf({ keys: { operator: { publicKey: operator.publicKey, subject: 'operator', person: true } } });
const SIGNED: ProjectPolicy = { inbox: false, keys };
const verify: Verify = (token, about) => verifyToken(token, about);
const PLAN = { goal: 'g', plan: { task: 't', capability: 'find' } };

const start = (message: object = PLAN, over: object = {}) =>
  signMessage({
    ...{ key: operator.privateKey, by: 'operator', workflowId: 'plan-1', now: new Date(AT) },
    message: { kind: 'start', ...message },
    ...over,
  });

/** The run after its plan is compiled. */
function compiled(input: unknown, project: ProjectPolicy, open = openPlanRun, root?: string) {
  const run = open('plan-1', AT, input, { firstRunId: 'c', ...(root !== undefined && { root, isChild: true }) });
  const { begin } = turn(run);
  applyEnd(run, begin[0]!, { ok: true, value: { ok: true, planShape: shapeOf([[]]), project } }, later(1), verify);
  return run;
}

describe('a signed input', () => {
  test('is the input that was signed, with the token', async () => {
    const token = await start({ ...PLAN, options: { approval: 'effects' } });
    expect(signedInput({ token })).toEqual({ ...PLAN, options: { approval: 'effects' } });
    const parsed = parsePlanInput({ token });
    expect(parsed).toMatchObject({ ok: true, token, source: { document: PLAN }, options: { approval: 'effects' } });
    expect(signedInput(PLAN)).toBe(PLAN);
  });

  test.each<[name: string, input: () => Promise<unknown>, problem: string]>([
    ['something beside it', async () => ({ token: await start(), goal: 'g' }), 'goal stands beside the token'],
    [
      'another message',
      async () => ({ token: await start({ kind: 'approve', digest: '3fa9c1d2' }) }),
      'a start is signed as',
    ],
    ['no plan', async () => ({ token: await start({ goal: 7 }) }), '$.goal: for the planner a goal is a text'],
    ['an unknown option', async () => ({ token: await start({ ...PLAN, options: { x: 1 } }) }), 'unknown key'],
    ['a token that is none', async () => ({ token: 'x.y.z' }), 'the token is no compact JWS'],
    ['a token that is no text', async () => ({ token: 7 }), 'token: expected a compact JWS'],
  ])('with %s is refused', async (_, input, problem) => {
    const parsed = parsePlanInput(await input());
    expect(parsed.ok ? [] : parsed.problems.join()).toContain(problem);
  });
});

const AGENT_INPUT = {
  task: { agent: 'agent a@1 read', revision: 'A'.repeat(43), nodeId: 'node_1', inputs: [] },
  ...{ goal: 'g', options: { mode: 'reactive', maxRounds: 1 }, attempts: 1, key: 'w', firstRunId: 'd' },
};

describe('the starter', () => {
  test('is who signed, once the keys are known', async () => {
    const run = compiled({ token: await start() }, SIGNED);
    expect(run.state).toMatchObject({ start: { by: 'operator' }, approval: { subject: { authors: ['operator'] } } });
    expect(run.state.failure).toBeUndefined();
  });

  test.each<[name: string, over: object, project: ProjectPolicy, told: string]>([
    [
      'another run',
      { workflowId: 'plan-2' },
      SIGNED,
      'the token was made for the run "plan-2" and came to the run "plan-1"',
    ],
    ['an earlier run of this id', { now: new Date(Date.parse(AT) - 120_000) }, SIGNED, 'before this run began'],
    ['another key', { key: createKeyPair().privateKey }, SIGNED, 'the signature does not fit'],
    ['a worker without keys', {}, { inbox: false }, 'no identity keys to verify it'],
  ])('by a token for %s is nobody: the run fails, and its plan never opens', async (_, over, project, told) => {
    const run = compiled({ token: await start(PLAN, over) }, project);
    expect(run.state.failure).toMatchObject({
      type: 'InvalidInput',
      message: expect.stringContaining(told) as string,
    });
    expect(run.execution).toBeUndefined();
    turn(run, later(2));
    expect(run.state.approval.closed?.outcome).toBe('failed');
  });

  test('of an agent is that of the run it works for, which the server names', async () => {
    const input = { ...AGENT_INPUT, start: { token: await start(PLAN, { workflowId: 'root' }), run: 'root', at: AT } };
    expect(
      openTaskRun('root.node_1', AT, input, { firstRunId: 'c', isChild: true, root: 'root' }).state.start?.signed,
    ).toEqual(input.start);
    expect(
      openTaskRun('root.node_1', AT, input, { firstRunId: 'c', isChild: true, root: 'root' }).state.firstRunId,
    ).toBe('d');
    expect(openTaskRun('root.node_1', AT, input, { firstRunId: 'c' }).state.firstRunId).toBe('c');
    // Started by hand, with a start that it has seen, it has no root of that name.
    expect(openTaskRun('root.node_1', AT, input, { firstRunId: 'c' }).state.start).toBeUndefined();
    expect(
      openTaskRun('root.node_1', AT, input, { firstRunId: 'c', isChild: true, root: 'another' }).state.start,
    ).toBeUndefined();
  });
});

describe('a rule', () => {
  const only = (rule: ApprovalRule): ProjectPolicy => ({ ...SIGNED, rules: [rule] });
  test('that does not count the starter wants a signed start', async () => {
    const run = compiled(PLAN, only({ notStarter: true }));
    expect(run.state.failure?.message).toContain('the start must be signed');
    expect(compiled({ token: await start() }, only({ notStarter: true })).state.failure).toBeUndefined();
  });

  test.each<[ApprovalRule, ProjectPolicy]>([
    [{ person: true }, { inbox: false }],
    [{ notStarter: true }, { inbox: false }],
    [{ person: true }, { inbox: false, keys: { robot: { x: 'x' } } }],
  ])('of the run %j that nobody can meet with %j ends it at once', (rule, project) => {
    const run = compiled({ ...PLAN, options: { approval: { rules: [rule] } } }, project);
    expect(run.state.failure?.message).toContain('$.options.approval: a rule ');
  });
});

describe('the rules of a worker that did not begin a node', () => {
  const two: ApprovalRule = { effect: 'idempotent', count: 2 };
  const many = (from: number) => Array.from({ length: 100 }, (_, at): ApprovalRule => ({ minCost: from + at }));
  const end = { status: 'failed', type: 'NotApproved', message: 'the rules ask for more' } as const;

  /** Two effects under way that operator approved under the rules of a project; a worker refused one, at a time. */
  function refused(known: readonly ApprovalRule[]) {
    const planShape = shapeOf([[], []], { executors: [executor('at-most-once')] });
    const run = approvedRun(planShape, {}, { inbox: false, rules: known });
    turn(run, later(1));
    const refuse = (node: number, rules: readonly ApprovalRule[], at: string) => {
      const [id] = [...numbered(run.tasks)].find(([, work]) => work.kind === 'node' && work.node === node) ?? [];
      applyEnd(run, id!, { ok: false, end, failure: { ...end, details: [] }, rules }, at, verify);
      return run.execution?.progress.status[node];
    };
    return { run, refuse, rules: () => run.state.project.rules };
  }

  test.each<[what: string, known: ApprovalRule[], asks: ApprovalRule[], status: string, rules: ApprovalRule[]]>([
    ['are stricter, is asked about', [{}], [two], 'pending', [{}, two]],
    ['are met already, fails', [{}], [{}, { count: 1 }, { count: 1 }], 'failed', [{}, { count: 1 }]],
    [
      'are in another order, fails',
      [{ effect: 'read', count: 1 }],
      [{ count: 1, effect: 'read' }],
      'failed',
      [{ effect: 'read', count: 1 }],
    ],
    ['ask for less, fails', [{}, { minCost: 5 }], [], 'failed', [{}, { minCost: 5 }]],
    ['are too many, fails', many(10), [...many(110), two], 'failed', many(10)],
    ['nobody can meet, fails', [{}], [two, { notStarter: true }], 'failed', [{}]],
  ])('that %s, and no rule is lost', (_, known, asks, status, rules) => {
    const on = refused(known);
    expect(on.refuse(0, asks, later(2))).toBe(status);
    expect(on.rules()).toEqual(rules);
    turn(on.run, later(3));
    expect(on.run.state.approval.phase).toBe(status === 'pending' ? 'awaiting-approval' : 'running');
    expect(underWay(on.run)).toEqual([1]);
  });

  test('are heard late of a node that is approved meanwhile: it is tried once more', () => {
    const { run, refuse } = refused([{}]);
    expect(refuse(0, [two], later(2))).toBe('pending');
    say(run, 'decide', { kind: 'approve', digest: DIGEST, by: 'deputy' }, later(3));
    expect(refuse(1, [two], later(4))).toBe('pending');
    turn(run, later(5));
    expect([refuse(0, [two], later(6)), refuse(1, [two], later(6))]).toEqual(['failed', 'failed']);
  });
});

test.each([
  { kind: 'edit', plan: {} },
  { kind: 'revise', feedback: 'Shorter' },
] as const)('the sender of $kind is an author of the plan that comes of it', (decision) => {
  const run = openedRun(shapeOf([[]]));
  run.state.start = { signed: { token: 't', run: 'plan-1', at: AT }, by: 'operator' };
  const planShape = shapeOf([[], []], { digest: 'e'.repeat(64) });
  const signed = { ...decision, digest: DIGEST, by: 'Second Operator', verified: false };
  expect(applyEdit(run, signed, { planShape, arrivedAt: AT }, AT).ok).toBe(true);
  expect(subjectOf(run.state, planShape).authors).toEqual(['operator', 'second operator']);
});

test('after a wish of the only approver the question says that nobody may decide, and what to do', () => {
  const project = {
    ...SIGNED,
    keys: { ...keys, robot: { x: 'x', subject: 'robot' } },
    rules: [{ notStarter: true as const }],
  };
  const run = openedRun(shapeOf([[]], { executors: [executor('at-most-once')] }), {}, project);
  run.state.start = { signed: { token: 't', run: 'plan-1', at: AT }, by: 'robot' };
  const revised = (digest: string) => shapeOf([[]], { digest, executors: [executor('at-most-once')] });
  const opened = () => questionsOf(run)[0]!;
  const edit = (by: string, digest: string, next: string) =>
    applyEdit(
      run,
      { kind: 'edit', plan: {}, digest, by, verified: true },
      { planShape: revised(next), arrivedAt: AT },
      AT,
    );
  edit('robot', DIGEST, 'e'.repeat(64));
  expect(opened().text).toContain(
    'It takes 1 approval, which may come from operator, not from robot, whose words are in the plan.',
  );
  edit('operator', 'e'.repeat(64), 'f'.repeat(64));
  expect(opened().text).toContain("which may come from nobody of those whom the project's keys name");
  expect(opened().text).toContain('have somebody else start it');
  expect(opened().missing).toMatchObject([{ notStarter: true, mayDecide: [], authors: ['robot', 'operator'] }]);
});

describe('in a loop', () => {
  /** A loop whose first step is open, and which decides a second one. */
  function looped() {
    const run = openedRun(shapeOf([[]], { executors: [executor('at-most-once')] }), { maxRejections: 99 });
    run.state.start = { signed: { token: 't', run: 'plan-1', at: AT }, by: 'robot' };
    run.state.loop = Object.assign(openLoop({ goal: 'Set it' }, 50), {
      round: 1,
      step: { round: 1, summary: 'Set it' },
    });
    return run;
  }
  const decided = (run: Run) => {
    turn(run, later(2));
    const [decide] = [...numbered(run.tasks)].find(([, { kind }]) => kind === 'decide') ?? [];
    const planShape = shapeOf([[]], { digest: 'e'.repeat(64) });
    const value = { decision: { is: 'step', summary: 'Again', planShape }, notes: 'n', usage: NO_USAGE };
    landed(run, decide ?? -1, value, later(3));
    return run.state.approval.subject?.authors;
  };

  test.each<[comment: string | undefined, authors: string[]]>([
    ['Set it to 5', ['robot', 'operator']],
    [undefined, ['robot']],
  ])('the reason %s of a refusal makes its sender an author of what is decided next', (comment, authors) => {
    const run = looped();
    say(run, 'decide', { kind: 'reject', digest: DIGEST.slice(0, 8), by: 'operator', ...(comment && { comment }) });
    expect(decided(run)).toEqual(authors);
  });

  test('who edited a step stays an author: what came of it is told on', () => {
    const run = looped();
    const planShape = shapeOf([[]], { digest: 'd'.repeat(64), executors: [executor('at-most-once')] });
    applyEdit(
      run,
      { kind: 'edit', plan: {}, digest: DIGEST, by: 'editor', verified: false },
      { planShape, arrivedAt: AT },
      AT,
    );
    say(run, 'decide', { kind: 'reject', digest: 'dddddddd', by: 'operator' });
    expect(decided(run)).toEqual(['robot', 'editor']);
  });
});

test('the plan of an agent has the authors of the plan that gave its task', () => {
  const input = { ...AGENT_INPUT, editors: ['editor'], editTokens: ['a.b.c'] };
  expect(openTaskRun('root.node_1', AT, input, { firstRunId: 'c', isChild: true, root: 'root' }).state).toMatchObject({
    editors: ['editor'],
    editTokens: ['a.b.c'],
  });
});
