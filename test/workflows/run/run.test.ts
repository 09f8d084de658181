/** A run and what it is told, from before its plan is there to its end. */

import { numbered } from '../../../src/workflows/run/records.ts';
import { describe, expect, test } from 'vitest';
import { MESSAGE_NAMES, type ProjectPolicy } from '../../../src/protocol/index.ts';
import { openRun, planCompiled } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import { judge } from '../../../src/workflows/run/talk/judge.ts';
import {
  approvedRun,
  AT,
  DIGEST,
  later,
  NO_PROJECT,
  openedRun,
  progressOf,
  say,
  shapeOf,
  turn,
  wideShape,
  waiting,
} from './make-run.ts';

const APPROVE = { digest: '3fa9c1d2', by: 'operator' };
const PLAN_SHAPE = shapeOf([[], [], [0, 1]], { summaries: ['exons', 'repeats', 'exons MINUS repeats'] });
const SIGNED: ProjectPolicy = { inbox: false, keys: { ops: { x: 'x' } } };

/** Its plan is there, and what came before it is heard. */
function compiled(run: Run, project = NO_PROJECT): void {
  planCompiled(run, PLAN_SHAPE, project, later(1));
  turn(run, later(1));
}

describe('a run that is told something before its plan is compiled', () => {
  test('takes it when the plan is there', () => {
    const run = openRun('plan-1', AT);
    expect(say(run, 'approve', APPROVE)).toEqual({ ok: true, reply: 'kept until the plan is compiled', kept: true });
    expect(statusOf(run).phase).toBe('drafting');
    compiled(run);
    expect(statusOf(run).phase).toBe('running');
    expect(run.state.approval.decisions).toMatchObject([{ kind: 'approve', by: 'operator', at: AT, revision: 1 }]);
    expect(run.state.trace.entries.filter(({ what }) => what === 'decision')).toHaveLength(1);
  });

  test('refuses it when it was about another plan', () => {
    const run = openRun('plan-1', AT);
    say(run, 'approve', { ...APPROVE, digest: 'ffffffff' });
    compiled(run);
    expect(statusOf(run).phase).toBe('awaiting-approval');
    expect(run.state.trace.entries.at(-1)).toMatchObject({ what: 'refused', said: { refusal: 'stale-digest' } });
    expect(run.state.trace.entries.at(-1)?.text).toContain('names digest ffffffff, the open plan is 3fa9c1d2');
  });

  test('refuses the digest of the open plan without its external context, and names both', () => {
    const without = 'ab12cd34'.repeat(8);
    const run = openedRun(shapeOf([[]], { digestWithoutContext: without, context: ['context account: "shop"'] }));
    for (const reply of [
      say(run, 'approve', { ...APPROVE, digest: without.slice(0, 8) }),
      say(run, 'control', { action: 'retry-node', node: 'node_1', digest: without, by: 'operator' }),
    ]) {
      expect(reply).toMatchObject({ ok: false, refusal: 'stale-digest' });
      expect(reply).toHaveProperty('reason', expect.stringContaining(`${without} is the digest of the same plan`));
      expect(reply).toHaveProperty('reason', expect.stringContaining(`${DIGEST} holds the values too`));
    }
    expect(questionsOf(run)).toMatchObject([{ kind: 'approval', context: ['context account: "shop"'] }]);
    expect(say(run, 'approve', APPROVE)).toMatchObject({ ok: true });
  });

  test('takes in order of arrival: what was rejected first is not approved', () => {
    const run = openRun('plan-1', AT);
    say(run, 'reject', { ...APPROVE, by: 'reviewer' });
    say(run, 'approve', APPROVE);
    compiled(run);
    expect(statusOf(run)).toMatchObject({ phase: 'closed', outcome: 'rejected' });
  });

  test('refuses what is not signed, where that turns out to be asked', () => {
    const run = openRun('plan-1', AT);
    say(run, 'approve', APPROVE);
    compiled(run, SIGNED);
    expect(statusOf(run).phase).toBe('awaiting-approval');
    expect(run.state.trace.entries.at(-1)).toMatchObject({ what: 'refused', said: { refusal: 'not-verified' } });
  });

  test('keeps it up to a bound, and refuses the rest', () => {
    const run = openRun('plan-1', AT);
    expect(say(run, 'approve', APPROVE)).toMatchObject({ kept: true });
    const [first] = waiting(run, 'plan');
    expect(first?.bytes).toBeGreaterThan(100);
    run.state.inbox = [{ ...first!, bytes: 8 * 2 ** 20 - 10 }];
    expect(say(run, 'approve', APPROVE)).toMatchObject({ ok: false, refusal: 'failed' });
    expect(waiting(run, 'plan')).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['revise', { feedback: 'shorter' }],
    ['edit', { plan: {} }],
    ['withdraw', {}],
  ])('keeps no %s, which is about a plan that somebody has seen', (kind, own) => {
    const run = openRun('plan-1', AT);
    expect(say(run, 'decide', { kind, ...APPROVE, ...own })).toMatchObject({ ok: false, refusal: 'early' });
    expect(run.state.inbox).toEqual([]);
  });
});

describe('a run', () => {
  test('runs reads without a decision where only effects are asked about', () => {
    expect(statusOf(openedRun(PLAN_SHAPE, { approval: 'effects' })).phase).toBe('running');
  });

  test('is bound by the rules of its project beside its own', () => {
    const run = openedRun(
      PLAN_SHAPE,
      { approval: 'effects' },
      { ...NO_PROJECT, rules: [{ effect: 'read', roles: ['ops'] }] },
    );
    expect(say(run, 'approve', APPROVE)).toMatchObject({ ok: false, refusal: 'wrong-role' });
    expect(say(run, 'approve', { ...APPROVE, role: 'ops' })).toMatchObject({ ok: true });
  });

  test.each(MESSAGE_NAMES)('takes no unsigned %s where messages are signed', (name) => {
    const run = openedRun(PLAN_SHAPE, {}, SIGNED);
    const payload = { ...APPROVE, kind: 'approve' };
    expect(judge(run, name, { payload, verified: false }, AT)).toMatchObject({ ok: false, refusal: 'not-verified' });
    expect(say(run, name, payload)).toMatchObject({ ok: false, refusal: 'not-verified' });
    const verify = () =>
      ({ ok: true, by: 'operator', message: { kind: 'approve', digest: DIGEST }, until: 0 }) as const;
    const token = `h.p.${'s'.repeat(86)}`;
    expect(say(run, 'approve', { token }, AT, 'stored', verify)).toMatchObject({ ok: true });
    expect(run.state.approval.decisions).toMatchObject([{ by: 'operator', verified: true }]);
  });

  test('keeps what it refuses, with the reason, and goes on', () => {
    const run = openedRun(PLAN_SHAPE);
    expect(say(run, 'approve', { malformed: true, reason: 'bad JSON' })).toMatchObject({ refusal: 'malformed' });
    expect(run.state.trace.entries.at(-1)).toMatchObject({
      at: AT,
      what: 'refused',
      text: 'approve: the message could not be decoded (bad JSON)',
    });
    expect(say(run, 'approve', APPROVE)).toEqual({ ok: true, reply: 'approved' });
  });

  test('judges without a trace', () => {
    const run = openedRun(PLAN_SHAPE);
    const before = structuredClone(run);
    expect(judge(run, 'approve', { payload: APPROVE, verified: false }, AT).ok).toBe(true);
    const other = { kind: 'approve', digest: 'ffffffff', by: 'operator' };
    expect(judge(run, 'decide', { payload: other, verified: false }, AT).ok).toBe(false);
    expect(structuredClone(run)).toEqual(before);
  });

  test('records what it takes with who, role, when, plan and comment', () => {
    const run = openedRun(PLAN_SHAPE);
    say(
      run,
      'decide',
      { kind: 'approve-part', nodes: ['node_2'], ...APPROVE, revision: 1, role: 'ops', comment: 'go' },
      later(7),
    );
    const said = {
      kind: 'approve-part',
      nodes: ['node_2'],
      digest: '3fa9c1d2',
      revision: 1,
      by: 'operator',
      role: 'ops',
      comment: 'go',
      verified: false,
    };
    expect(run.state.approval.decisions).toEqual([{ ...said, at: later(7), revision: 1 }]);
    expect(run.state.trace.entries.at(-1)).toMatchObject({
      what: 'decision',
      at: later(7),
      said: { ...said, digest: DIGEST },
    });
  });

  test('looks at what it has to in proportion to what is there', () => {
    // Of 8,000 nodes each is asked about once, and not again until somebody says something: counted, not timed.
    let asked = 0;
    const planShape = wideShape(8000);
    const executorOf = new Proxy([...planShape.executorOf], {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) asked += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
    const run = openedRun({ ...planShape, executorOf }, { concurrency: 8000, lane: 'visible' });
    const during = (act: () => void) => {
      asked = 0;
      act();
      return asked / 8000;
    };
    expect(during(() => turn(run))).toBeLessThan(4);
    expect(progressOf(run).blocked).toHaveLength(8000);
    expect(during(() => turn(run))).toBe(0);
    expect(during(() => say(run, 'approve', { ...APPROVE, digest: 'ffffffff' }))).toBe(0);
    expect(during(() => say(run, 'approve', APPROVE))).toBeLessThan(20);
    expect(progressOf(run).counts.running).toBe(8000);
    expect(during(() => turn(run))).toBe(0);
  });
});

test('a run that is told to go on has its nodes under way, each under an id of its own', () => {
  const run = approvedRun(PLAN_SHAPE);
  expect([...numbered(run.tasks)]).toEqual([
    [1, { kind: 'node', node: 0 }],
    [2, { kind: 'node', node: 1 }],
  ]);
});
