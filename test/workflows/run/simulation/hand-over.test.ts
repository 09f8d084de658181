/** Whatever reaches a run while it is handed to its next history takes effect once: there, or before. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Carried, Resume, PlanShape, TraceEntry } from '../../../../src/protocol/index.ts';
import type { Incoming } from '../../../../src/workflows/run/arrive.ts';
import { makeHandOver, lateArrivals, restoreRun } from '../../../../src/workflows/run/hand-over.ts';
import type { CarriedState } from '../../../../src/workflows/run/state.ts';
import { replyToUpdate } from '../../../../src/workflows/run/talk/inbox.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { takeTurn } from '../../../../src/workflows/run/turn.ts';
import { AT, handle, later, openedRun, REFUSES, shapeOf, writtenOf } from '../make-run.ts';

/** What may come, by the number that tells it from others of its kind. */
const KINDS = {
  message: (n, at) => ({ name: 'approve', payload: { digest: 'f'.repeat(8), by: `m${n}` }, at }),
  'update without a reply': (n, at) => {
    const payload = { kind: 'approve', digest: 'f'.repeat(8), by: `u${n}` };
    return { name: 'decide', payload, at, update: `update ${n}` };
  },
  'unknown signal': (n, at) => ({ is: 'unknown', name: `x${n}x`, at }),
  'pause of the parent': (n, at) => ({ is: 'agent', message: { key: 'up', paused: n % 2 === 0 }, at }),
  'count of a child': (n, at) => ({ is: 'agent', message: { key: 'down', firstRunId: '', waitingFor: n }, at }),
  'end of a child': (_, at) => ({ is: 'ended', taskId: 1, ended: { ok: true, value: handle('r') }, at }),
  'kill of the parent': (n, at) => ({
    is: 'agent',
    message: { key: 'up', killed: { by: `k${n}`, comment: 'c' } },
    at,
  }),
  cancellation: (_, at) => ({ is: 'cancelled', at }),
} satisfies Record<string, (n: number, at: string) => Incoming>;

type Kind = keyof typeof KINDS;

/** An agent's run, and maybe an agent of its own at work, without whose end it is not handed over. */
function agentRun(hasChild: boolean): Run {
  const run = openedRun(shapeOf([[], [0]]), { approval: { rules: [{ count: 2 }] } });
  run.state.parent = { key: 'up', out: {} };
  if (!hasChild) return run;
  run.state.children['plan-1.node_1'] = {
    task: 1,
    key: 'down',
    waitingFor: 0,
    isStarted: true,
    out: {},
  };
  run.tasks[1] = { kind: 'unused', id: 'node_1 of revision 0', effect: 'read' };
  run.lastTaskId = 1;
  return run;
}

interface Course {
  readonly run: Run;
  readonly histories: number;
  readonly trace: readonly TraceEntry[];
  /** What came, with the history in which it came. */
  readonly came: readonly { readonly kind: Kind; readonly n: number; readonly history: number }[];
  readonly moments: number;
}

/**
 * A run from a full history to its end, as the workflow drives it: at each moment in which a workflow would wait comes what is
 * due then.
 * @param due for each moment what comes
 * @param refused the moments in which the store is away
 */
function drive(due: readonly (readonly Kind[])[], refused: readonly number[] = []): Course {
  let run = agentRun(due.flat().includes('end of a child'));
  let histories = 1;
  let moments = 0;
  const line: Incoming[] = [];
  const pages: string[] = [];
  const came: { kind: Kind; n: number; history: number }[] = [];
  const now = () => later(61_000 * moments, AT);
  const moment = () => {
    for (const kind of due[moments] ?? []) {
      const isOver = kind === 'end of a child' && (run.tasks[1] === undefined || line.some(({ is }) => is === 'ended'));
      if (isOver) continue;
      came.push({ kind, n: came.length, history: histories });
      line.push(KINDS[kind](came.length - 1, now()));
    }
    moments += 1;
  };
  const fetched = (carried: Carried): unknown =>
    'value' in carried ? carried.value : JSON.parse(carried.pages.map((ref) => pages[Number(ref)] ?? '').join(''));

  /** @returns whether the run has gone on */
  function goOn(): void {
    const before = writtenOf(run);
    const saved = makeHandOver(run, 50);
    const isAway = saved.pages.length > 0 && refused.includes(moments);
    if (saved.pages.length > 0) moment();
    if (isAway) {
      line.push({ is: 'not-stored', reason: 'it is away', at: now() });
      return;
    }
    const { resume, stored } = saved.stored(saved.pages.map((page) => `${pages.push(page) - 1}`));
    for (let known = 0, tasks = run.drain.busyTasks ?? 0; ; tasks += 1) {
      expect(writtenOf(run)).toBe(before);
      const late = lateArrivals(line, known, tasks);
      if (late === 'too-much') {
        line.push({ is: 'stored', stored, at: now() });
        return;
      }
      if (late !== 'more') {
        const next = JSON.parse(JSON.stringify({ ...resume, late })) as Resume;
        const plan = next.planShape && (fetched(next.planShape) as PlanShape);
        run = restoreRun('plan-1', fetched(next.state) as CarriedState, plan, next);
        line.length = 0;
        histories += 1;
        return;
      }
      known = line.length;
      moment();
    }
  }

  for (let turns = 0; turns < 200; turns++) {
    moment();
    const pressure = histories === 1 ? 'events' : 'none';
    const orders = takeTurn(run, { at: now(), verify: REFUSES, arrivals: line.splice(0), pressure });
    for (const { to } of orders.runSignals) line.push({ is: 'signalled', to, outcome: 'taken', at: now() });
    if (orders.next === 'end') break;
    if (orders.next === 'continue') goOn();
    else if (!orders.hasMore && line.length === 0 && moments > due.length && histories > 1) break;
  }
  const { trace } = run.state;
  const stored = trace.stored.flatMap(({ ref }) => JSON.parse(pages[Number(ref)] ?? '[]') as TraceEntry[]);
  return { run, histories, came, moments, trace: [...stored, ...trace.entries] };
}

/** Each that came has counted, and counted once. */
function check({ run, histories, came, trace }: Course): void {
  const { approval, parentPaused, children } = run.state;
  const killed = approval.closed?.killed;
  expect(trace.map(({ seq }) => seq)).toEqual(trace.map((_, i) => i + 1));
  const times = (fits: (entry: TraceEntry) => boolean) => trace.filter(fits).length;
  for (const { kind, n } of came) {
    if (kind === 'message') expect(times(({ said }) => Object(said).by === `m${n}`)).toBe(1);
    if (kind === 'unknown signal') expect(times(({ text }) => text.includes(`x${n}x`))).toBe(1);
    if (kind !== 'update without a reply') continue;
    expect(times(({ said }) => Object(said).by === `u${n}`)).toBe(1);
    expect(replyToUpdate(run, `update ${n}`)).toMatchObject({ ok: false, refusal: 'stale-digest' });
  }
  const lastOf = (wanted: Kind) => came.findLast(({ kind }) => kind === wanted);
  const pause = lastOf('pause of the parent');
  expect(parentPaused).toBe(pause !== undefined && pause.n % 2 === 0);
  expect(Object.keys(children)).toEqual(run.tasks[1] !== undefined ? ['plan-1.node_1'] : []);
  const isEnded = came.some(({ kind }) => kind === 'kill of the parent' || kind === 'cancellation');
  if (!isEnded) {
    expect([histories, approval.closed?.outcome]).toEqual([2, undefined]);
    return;
  }
  expect(approval.closed?.outcome).toBe(killed === undefined ? 'cancelled' : 'aborted');
  const killer = came.find(({ kind }) => kind === 'kill of the parent');
  if (killed !== undefined) expect(killed.by).toBe(`k${killer?.n}`);
  // Temporal takes for cancelled a history alone that was cancelled.
  const cancelled = came.find(({ kind }) => kind === 'cancellation');
  if (approval.closed?.outcome === 'cancelled') expect(cancelled?.history).toBe(histories);
}

/** As many as a run without anything coming has. */
const MOMENTS = drive([]).moments;
const kinds = Object.keys(KINDS) as Kind[];

describe('what comes while a run is handed to its next history', () => {
  const everywhere = kinds.flatMap((kind) => Array.from({ length: MOMENTS + 1 }, (_, at) => [kind, at] as const));

  test('comes at many moments, some of them in the middle of it', () => {
    expect(MOMENTS).toBeGreaterThan(3);
  });

  test.each(everywhere)('%s at moment %i takes effect once', (kind, at) => {
    const course = drive(Array.from({ length: at + 1 }, (_, moment) => (moment === at ? [kind, kind] : [])));
    check(course);
    expect(course.came).toHaveLength(kind === 'end of a child' ? 1 : 2);
  });

  test('takes effect once, whatever else comes, whenever the store is away', () => {
    const seen: Partial<Record<Kind, number>> = {};
    const common = kinds.filter((kind) => kind !== 'cancellation' && kind !== 'kill of the parent');
    const one = fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...common) },
      { weight: 1, arbitrary: fc.constantFrom(...kinds) },
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(one, { maxLength: 3 }), { maxLength: 16 }),
        fc.array(fc.nat({ max: 16 }), { maxLength: 3 }),
        (due, refused) => {
          const course = drive(due, refused);
          check(course);
          for (const { kind } of course.came) seen[kind] = (seen[kind] ?? 0) + 1;
        },
      ),
      { seed: 20260103, numRuns: 1000 },
    );
    for (const kind of kinds) expect(`${kind}: ${(seen[kind] ?? 0) > 10}`).toBe(`${kind}: true`);
  });
});
