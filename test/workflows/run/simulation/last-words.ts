/** How a simulated run comes to its end: the people whose word is missing say it, or nobody says anything any more. */

import { expect } from 'vitest';
import { given, type TraceEntry } from '../../../../src/protocol/index.ts';
import { endingOf, runResult } from '../../../../src/workflows/run/ending.ts';
import { isFinished } from '../../../../src/workflows/run/nodes/progress.ts';
import { askingNodes } from '../../../../src/workflows/run/run.ts';
import { traceOf } from '../../../../src/workflows/run/trace.ts';
import { progressOf, inLine } from '../make-run.ts';
import type { RandomEdit } from '../random-plan.ts';
import { count, hold, now, type Spoken, type World } from './model.ts';
import { say, sendAgain } from './say.ts';
import { arrive, compile, applyNode, landPlan, wait } from './simulated-run.ts';

/** Nothing that was said before keeps enough people of the right roles from opening the gate. */
export function openTheGate(world: World): void {
  // What was said in time holds silence off; it is heard first.
  settleWork(world);
  wait(world, 0, true);
  if (!isAskedAbout(world)) return;
  if (world.run.state.approval.rejected) {
    const { revision, bounds } = world.run.state.approval;
    if (revision >= bounds.maxRevisions) return;
    say(world, spoken('decide', { kind: 'edit', digest: world.run.state.approval.digest, by: 'editor', plan: {} }));
    settleWork(world);
    expect(world.run.state.approval.rejected).toBe(false);
  }
  if (!isAskedAbout(world)) return;
  const { digest, shown } = world.run.state.approval;
  for (const { roles: wanted = [undefined], count: people = 1 } of world.rules) {
    for (let person = 1; person <= people; person++) {
      const role = wanted[0] === undefined ? {} : { role: wanted[0] };
      say(world, spoken('approve', { digest, ...given({ shown }), by: `fresh ${person}`, ...role }));
    }
  }
  const { phase } = world.run.state.approval;
  if (phase !== 'closed') expect(world.run.state.approval).toMatchObject({ phase: 'running', uncovered: [] });
  count(world, 'opened at last');
}

function isAskedAbout({ run, ended }: World): boolean {
  return !ended && askingNodes(run).length > 0;
}

/** All that activities do for messages is there, also what stood in line behind a hold. */
function settleWork(world: World): void {
  for (let turn = 0; turn < 100 && !world.ended; turn++) {
    const isForMessages = [...world.flights.values()].some(({ kind }) => kind === 'message' || kind === 'default');
    if (isForMessages) arrive(world, world.flights.size - 1, 'there');
    else if (inLine(world.run) === 0) return;
    else if (world.flights.size > 0) applyNode(world, 0, 'succeeded');
    else waitForNext(world);
  }
}

/** Nobody says a word any more, but who waits for an answer still asks for it. */
export function endInSilence(world: World): void {
  for (let turn = 0; turn < 300 && !world.ended; turn++) {
    // A pause that was said before there was a plan may take effect as late as here.
    if (world.run.state.paused) say(world, spoken('control', { action: 'resume', by: 'operator' }));
    sendAgain(world, turn);
    const [flight] = world.flights.values();
    if (flight?.kind === 'node') applyNode(world, 0, 'succeeded');
    else if (flight?.kind === 'draft') compile(world);
    else if (flight?.kind === 'plan') landPlan(world, 'no model', CHANGED);
    else if (flight !== undefined) arrive(world, 0, 'there');
    else waitForNext(world);
  }
  const { run } = world;
  expect([world.ended, world.flights.size]).toEqual([true, 0]);
  checkTrace(world);
  for (const { reply, kept, waiting, again } of world.sent.values()) {
    hold('everybody is answered', [reply !== undefined || kept || again !== undefined, waiting], [true, 0]);
  }
  expect(run.state.approval.phase).toBe('closed');
  const { outcome, by, comment } = runResult(run);
  expect(outcome).toBe(run.state.approval.closed?.outcome);
  const last = run.state.approval.decisions.findLast(({ kind }) => kind === 'reject');
  const ended = outcome === 'rejected' ? { by: last?.by, comment: last?.comment } : run.state.approval.closed?.killed;
  expect({ by, comment }).toEqual({ by: undefined, comment: undefined, ...ended });
  if (run.execution === undefined) return;
  expect(isFinished(progressOf(run))).toBe(true);
  expect([Object.keys(run.state.questions).length, Object.keys(run.execution.unsettled).length]).toEqual([0, 0]);
  expect(typeof endingOf(run).ok).toBe('boolean');
}

/** Until the alarm rings, for which there has to be one. */
export function waitForNext(world: World): void {
  const { due = now(world) } = world.rest ?? {};
  wait(world, Math.max(0, Date.parse(due) - Date.parse(now(world))), true);
}

/** Every entry is there, in order, some of them in the store, and one of them is its end. */
function checkTrace({ run, pages }: World): void {
  const seqs: number[] = [];
  let closed = 0;
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = traceOf(run.state.trace, { after });
    const stored = page.stored === undefined ? undefined : (pages.get(page.stored) ?? '[]');
    const entries = stored === undefined ? page.entries : (JSON.parse(stored) as TraceEntry[]);
    seqs.push(...entries.map(({ seq }) => seq));
    closed += entries.filter(({ what }) => what === 'closed').length;
    after = page.next;
  }
  hold(
    'the trace',
    seqs,
    Array.from({ length: run.state.trace.last }, (_, i) => i + 1),
  );
  hold('it is closed once', closed, 1);
}

const CHANGED: RandomEdit = { fates: Array.from({ length: 10 }, () => 'change'), places: [], added: [], after: [] };

function spoken(name: Spoken['name'], payload: object): Spoken {
  return { name, payload, update: false, edit: CHANGED };
}
