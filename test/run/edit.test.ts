import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, DRAFTING, openRevision, type Approval } from '../../src/run/approval.ts';
import type { Gate } from '../../src/run/coverage.ts';
import { takeEdit } from '../../src/run/hear.ts';
import { fail, startNext, succeed, type Progress } from '../../src/run/progress.ts';
import { ask } from '../../src/run/questions.ts';
import { endNode, type Run } from '../../src/run/run.ts';
import type { RunSlice } from '../../src/run/slice.ts';
import { AT, DIGEST, executor, handle, openedRun, progressOf, say, sliceOf } from './make-run.ts';
import { applyEdit, edits, plans, ROLES, rules, sliceOfPlan, type RandomPlan } from './random-plan.ts';

const NEW = 'e'.repeat(64);
const EDIT = { kind: 'edit', digest: '3fa9c1d2', by: 'ed', plan: {}, verified: false } as const;
const BROKE = { type: 'CRITICAL', message: 'broke' };
const part = (...nodes: string[]) => ({ kind: 'approve-part', nodes, digest: '3fa9c1d2', by: 'ana' });

function edited(run: Run, slice: RunSlice, sameAs: readonly number[]) {
  return takeEdit(run, EDIT, { slice: { ...slice, digest: NEW }, sameAs }, AT);
}

function startAll(progress: Progress, mayStart?: (node: number) => boolean): number[] {
  const started: number[] = [];
  for (let node = startNext(progress, mayStart); node !== undefined; node = startNext(progress, mayStart))
    started.push(node);
  return started;
}

describe('after an edit', () => {
  const words = fc.array(
    fc.record({
      by: fc.constantFrom('ana', 'ben'),
      role: fc.constantFrom(undefined, ...ROLES),
      nodes: fc.oneof(fc.constant(undefined), fc.array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 2 })),
    }),
    { maxLength: 4 },
  );

  test('a node asks again exactly when its rules are not met by those who approved it, or, of a read, approved a whole plan', () => {
    let asked = 0;
    let kept = 0;
    fc.assert(
      fc.property(
        plans,
        rules,
        words,
        fc.array(fc.tuple(edits, words), { minLength: 1, maxLength: 3 }),
        (first, asks, said, changes) => {
          let plan = first;
          let approval = openRevision(DRAFTING, { digest: digestOf(0), gate: gateOf(plan, asks), at: AT });
          const stands = new Map<string, Set<string>>();
          const readers = new Set<string>();
          approval = sayAll(approval, plan, said, stands, readers);
          for (const [index, [change, then]] of changes.entries()) {
            const { plan: next, sameAs } = applyEdit(plan, change, index + 1);
            approval = openRevision(approval, {
              digest: digestOf(index + 1),
              gate: gateOf(next, asks),
              at: AT,
              sameAs,
            });
            const before = new Set(plan.map(({ key }) => key));
            for (const { key } of next) if (!before.has(key)) stands.delete(key);
            plan = next;
            const open = plan.flatMap((node, at) =>
              isMet(node, asks, stands.get(node.key) ?? new Set(), readers) ? [] : [at],
            );
            expect(approval.uncovered).toEqual(open);
            expect(approval.phase).toBe(open.length > 0 ? 'awaiting-approval' : 'running');
            asked += open.length;
            kept += plan.length - open.length;
            approval = sayAll(approval, plan, then, stands, readers);
          }
        },
      ),
      { seed: 3, numRuns: 3000 },
    );
    expect(asked > 500 && kept > 500).toBe(true);
  });

  test('only changed effects ask again, where the whole plan was approved but for one more person', () => {
    const executors = [executor('read'), executor('at-most-once')];
    const run = openedRun(sliceOf([[], [], [], []], { executors, executorOf: [0, 1, 1, 0] }), {
      approval: { rules: [{}, { capability: 'none', count: 2 }, { effect: 'at-most-once', roles: ['chief'] }] },
    });
    say(run, 'approve', { digest: '3fa9c1d2', by: 'ana' });
    // A read changes, an effect changes, a read comes in.
    edited(run, sliceOf([[], [], [], [], []], { executors, executorOf: [0, 1, 1, 0, 0] }), [-1, 1, -1, 3, -1]);
    expect(run.approval.uncovered).toEqual([1, 2]);
    const again = takeEdit(
      run,
      { ...EDIT, digest: NEW },
      {
        slice: sliceOf([[], []], { executors, executorOf: [0, 1], digest: 'd'.repeat(64) }),
        sameAs: [-1, 1],
      },
      AT,
    );
    expect(again).toMatchObject({ ok: true });
    // The second edit changes the read once more: who approved the whole is still not asked about reads.
    say(run, 'approve', { digest: 'dddddddd', by: 'cleo', role: 'chief' });
    expect(run.approval.phase).toBe('running');
  });
});

describe('an edit', () => {
  test('that is the open plan changes nothing', () => {
    const run = openedRun(sliceOf([[]]));
    const heard = takeEdit(run, EDIT, { slice: sliceOf([[]]), sameAs: [0] }, AT);
    expect(heard).toMatchObject({ ok: false, refusal: 'no-change' });
    expect(run.approval.revision).toBe(1);
  });

  test.each([
    ['was approved', { kind: 'approve' }, 'already-decided'],
    ['was rejected', { kind: 'reject' }, 'already-decided'],
  ])('comes too late for a plan that %s while it was compiled', (_, said, refusal) => {
    const run = openedRun(sliceOf([[]]));
    say(run, 'decide', { ...said, digest: '3fa9c1d2', by: 'ana' });
    expect(edited(run, sliceOf([[], []]), [0, -1])).toMatchObject({ ok: false, refusal });
    expect(run.slice?.digest).not.toBe(NEW);
  });

  test('makes an approval of the plan before stale', () => {
    const run = openedRun(sliceOf([[]]));
    edited(run, sliceOf([[], []]), [0, -1]);
    expect(say(run, 'approve', { digest: '3fa9c1d2', by: 'ana' })).toMatchObject({ refusal: 'stale-digest' });
    expect(say(run, 'approve', { digest: NEW, revision: 2, by: 'ana' })).toMatchObject({ ok: true });
  });

  test('is on record with who and what came of it, without its plan', () => {
    const run = openedRun(sliceOf([[]]));
    edited(run, sliceOf([[], []]), [0, -1]);
    const [decision, compiled] = run.trace.entries.slice(-2);
    expect(decision).toMatchObject({ what: 'decision', said: { kind: 'edit', by: 'ed', digest: DIGEST } });
    expect(decision?.text).toContain('revision 2 is open, digest eeeeeeee; 1 of its 2 nodes are unchanged');
    expect(decision?.said).not.toHaveProperty('plan');
    expect(compiled).toMatchObject({ what: 'compiled' });
  });

  test('keeps results, work under way and questions of what is unchanged, at its new place', () => {
    const run = openedRun(sliceOf([[], [], [], []]), { approval: { rules: [{ count: 2 }] } });
    say(run, 'approve', { digest: '3fa9c1d2', by: 'ana', role: 'ops' });
    const progress = progressOf(run);
    startAll(progress);
    let stopped = 0;
    run.flights.add({ node: 1, cancel: () => (stopped += 1) });
    run.flights.add({ node: 3, cancel: () => (stopped += 10) });
    succeed(progress, 0, handle('r0'));
    ask(run, 2, { text: 'which?' }, AT);
    edited(run, sliceOf([[], [], [], [1, 2], []]), [-1, 2, 0, -1, 3]);
    expect(progressOf(run).status).toEqual(['pending', 'waiting', 'reused', 'pending', 'running']);
    // A read that the new plan does not have is stopped.
    expect(stopped).toBe(1);
    expect([...run.flights].map(({ node }) => node)).toEqual([undefined, 4]);
    expect(say(run, 'answer', { question: '3fa9c1d2.node_3', value: 1, by: 'ana' }, AT, 'r2')).toMatchObject({
      ok: true,
    });
    expect(progressOf(run).handles.map((one) => one?.ref)).toEqual([undefined, 'r2', 'r0', undefined, undefined]);
  });

  test('lets an effect under way end, and does not use its result', () => {
    const run = openedRun(sliceOf([[], []], { executors: [executor('at-most-once')] }));
    say(run, 'decide', part('node_1'));
    startAll(progressOf(run), (node) => node === 0);
    let stopped = 0;
    run.flights.add({ node: 0, cancel: () => (stopped += 1) });
    edited(run, sliceOf([[]]), [1]);
    expect(stopped).toBe(0);
    expect(
      run.trace.entries.some(({ text }) =>
        text.includes('node_1 of the plan before is under way and not used any more'),
      ),
    ).toBe(true);
  });

  test('that puts running and finished nodes behind a cancelled one leaves them be, also when that one is repeated', () => {
    const run = openedRun(sliceOf([[], [], [], []], { executors: [executor('at-most-once')] }));
    say(run, 'decide', part('node_1', 'node_2', 'node_3'));
    const progress = progressOf(run);
    startAll(progress, (node) => node < 2);
    succeed(progress, 1, handle('r1'));
    fail(progress, 2, 'cancelled', BROKE);
    // The list is ordered anew: the cancelled node comes first now, and the others follow it.
    edited(
      run,
      sliceOf([[], [], [], [2]], { executors: [executor('at-most-once')], after: { 1: [0], 2: [0] } }),
      [2, 0, 1, -1],
    );
    expect(progressOf(run).status).toEqual(['cancelled', 'running', 'reused', 'pending']);
    expect(progressOf(run).causes.size).toBe(0);
    say(run, 'control', { action: 'retry-node', node: 'node_1', by: 'ana' });
    expect(progressOf(run).status).toEqual(['pending', 'running', 'reused', 'pending']);
    expect(startAll(progressOf(run), (node) => node !== 3)).toEqual([0]);
  });

  test('keeps what is to be settled, with its deadline, and repeats no effect by itself', () => {
    const run = openedRun(sliceOf([[], [], [], []], { executors: [executor('at-most-once')] }), { onFailure: 'ask' });
    say(run, 'decide', part('node_1', 'node_2', 'node_3'));
    startAll(progressOf(run), (node) => node < 3);
    endNode(run, 0, { ...BROKE, status: 'uncertain' }, AT, true);
    endNode(run, 1, { ...BROKE, status: 'failed' }, AT, true);
    endNode(run, 2, { ...BROKE, status: 'failed' }, AT, true);
    const [waits, failed] = [run.settling.get(0), run.settling.get(1)];
    say(run, 'control', { action: 'resolve', node: 'node_3', outcome: 'failed', by: 'ana' });
    edited(run, sliceOf([[], [], [], []], { executors: [executor('at-most-once')] }), [1, 0, 2, 3]);
    expect(progressOf(run).status).toEqual(['failed', 'uncertain', 'failed', 'pending']);
    expect([...run.settling]).toEqual([
      [0, failed],
      [1, waits],
    ]);
    expect(startAll(progressOf(run), (node) => node < 3)).toEqual([]);
  });
});

function sayAll(
  approval: Approval,
  plan: RandomPlan,
  words: readonly { by: string; role: string | undefined; nodes: readonly number[] | undefined }[],
  stands: Map<string, Set<string>>,
  readers: Set<string>,
): Approval {
  return words.reduce((now, { by, role, nodes: picks }) => {
    const nodes = picks?.map((pick) => pick % plan.length);
    const kind =
      nodes === undefined
        ? { kind: 'approve' as const }
        : { kind: 'approve-part' as const, nodes: nodes.map((node) => `node_${node + 1}`) };
    const ruling = decide(
      now,
      { ...kind, digest: now.digest, by, verified: false, ...(role !== undefined && { role }) },
      AT,
    );
    if (!ruling.ok) return now;
    const speaker = `${by}/${role ?? ''}`;
    if (nodes === undefined) readers.add(speaker);
    const meant = new Set(nodes ?? plan.map((_, node) => node));
    for (const node of meant) {
      const { key = '', inputs = [], after = [] } = plan[node] ?? {};
      stands.set(key, (stands.get(key) ?? new Set()).add(speaker));
      for (const needed of [...inputs, ...after]) meant.add(needed);
    }
    return ruling.approval;
  }, approval);
}

function isMet(
  { effect, name, cost }: RandomPlan[number],
  asks: Gate['rules'],
  speakers: ReadonlySet<string>,
  readers: ReadonlySet<string>,
): boolean {
  const strengths = { read: 0, idempotent: 1, 'at-most-once': 2 };
  return asks.every((rule) => {
    if (strengths[effect] < strengths[rule.effect ?? 'read']) return true;
    if ((rule.capability ?? name) !== name || cost < (rule.minCost ?? 0)) return true;
    // Who approved a whole plan is asked about no other read, unless a rule names it.
    const isNamed = rule.capability !== undefined || rule.minCost !== undefined;
    const heard = [...speakers, ...(effect === 'read' && !isNamed ? readers : [])]
      .map((one) => one.split('/'))
      .filter(([, role = '']) => rule.roles?.includes(role) ?? true);
    return new Set(heard.map(([person]) => person)).size >= (rule.count ?? 1);
  });
}

function gateOf(plan: RandomPlan, asks: Gate['rules']): Gate {
  return { plan: sliceOfPlan(plan, NEW), rules: asks, deadlineMs: 1000 };
}

function digestOf(revision: number): string {
  return String(revision).repeat(64).slice(0, 64);
}
