/** What holds of every run at every moment, whatever was said to it and in whatever order. */

import { expect } from 'vitest';
import { nextDeadline } from '../../src/run/deadlines.ts';
import { detailsOf } from '../../src/run/details.ts';
import type { MessageName } from '../../src/run/hear.ts';
import { questionsOf, rolesWaitedFor } from '../../src/run/open-items.ts';
import { isFinished, NODE_STATUSES, type Progress } from '../../src/run/progress.ts';
import { REFUSALS, type Refused } from '../../src/run/refusal.ts';
import type { Run } from '../../src/run/run.ts';
import { traceOf } from '../../src/run/trace.ts';
import { nodesOf, statusOf } from '../../src/run/views.ts';
import { hold, isCovered, now, type World } from './model.ts';

/** Everything about a run that a refusal must leave alone; its trace is what it may change. */
export function snapshotOf(run: Run): string {
  const { approval, progress, questions, answered, settling, retries, paused, flights } = run;
  const { gate: _, ...rest } = approval;
  return JSON.stringify(
    [
      rest,
      progress?.status,
      progress?.handles,
      questions,
      answered,
      settling,
      retries,
      paused,
      [...flights].map(({ node }) => node),
    ],
    (__, value: unknown) => (value instanceof Set || value instanceof Map ? [...value] : value),
  );
}

export function checkRefused({ refusal, reason }: Refused): void {
  expect(REFUSALS).toContain(refusal);
  expect(reason.length).toBeGreaterThan(10);
}

/** What was taken is on record: who, in which role, when, about which plan, with which comment. */
export function checkHeard(world: World, name: MessageName, said: Record<string, unknown>, reply: string): void {
  // The same answer once more is the answer that is on record already.
  if (reply.startsWith('answered so already')) return;
  // What is kept for the plan is on record when the plan is there and it is heard.
  if (reply.startsWith('kept until')) return;
  // To say again what is so already is no event.
  if (name === 'control' && /already$|^it is not paused$/.test(reply)) return;
  const what = name === 'answer' || name === 'control' ? name : 'decision';
  const entry = world.run.trace.entries.findLast((one) => one.what === what);
  expect(entry?.at).toBe(now(world));
  const { by, role, comment, digest, question, action, node } = said;
  const named = Object.entries({ role, comment, question, action, node }).filter(([, value]) => value !== undefined);
  expect(entry?.said).toMatchObject(Object.fromEntries(named));
  expect(entry?.said?.['by']).toBe(String(by).trim());
  if (what === 'decision') expect(String(entry?.said?.['digest']).startsWith(String(digest).toLowerCase())).toBe(true);
  expect(entry?.said?.['verified']).toBe(false);
  if (what === 'answer' && reply === 'answered') {
    const key = world.askedBy.get(String(question));
    const ref = `ref-${JSON.stringify(said['value'])}`;
    expect(world.run.progress?.handles[world.plan.findIndex((one) => one.key === key)]?.ref).toBe(ref);
  }
}

export function checkWorld(world: World): void {
  const { run, plan } = world;
  const { progress, approval } = run;
  // Whoever looks gets an answer.
  const [items, status] = [questionsOf(run), statusOf(run)];
  detailsOf(run);
  traceOf(run.trace);
  nodesOf(run);
  if (progress === undefined) return;
  hold('open items', status.waitingFor, items.length);
  hold('somebody is waited for', rolesWaitedFor(run).length > 0, items.length > 0);
  const counted = NODE_STATUSES.map((one) => progress.status.filter((other) => other === one).length);
  hold(
    'counts',
    NODE_STATUSES.map((one) => progress.counts[one]),
    counted,
  );
  hold(
    'all nodes',
    counted.reduce((sum, one) => sum + one),
    plan.length,
  );
  hold('running', progress.counts.running, [...run.flights].filter(({ node }) => node !== undefined).length);
  hold('one flight per node', new Set([...run.flights].map(({ node }) => node ?? {})).size, run.flights.size);
  if (approval.phase === 'closed') return;
  hold(
    'uncovered',
    approval.uncovered,
    plan.flatMap((_, node) => (isCovered(world, node) ? [] : [node])),
  );
  hold('phase', approval.phase, approval.uncovered.length > 0 ? 'awaiting-approval' : 'running');
  hold('to be settled', [...progress.unsettled].toSorted(), [...run.settling.keys()].toSorted());
  if (run.paused) return;
  // A rejected plan starts nothing before it is edited.
  if (progress.counts.running < progress.window && !approval.rejected) {
    const left = plan.flatMap((_, node) => (isReady(world, progress, node) ? [node] : []));
    hold('ready nodes that nobody started', left, []);
  }
  // Somebody or something will move it on.
  const moves =
    isFinished(progress) || run.flights.size > 0 || world.arriving.length > 0 || nextDeadline(run) !== undefined;
  hold('something or somebody moves it on', moves, true);
}

function isReady(world: World, progress: Progress, node: number): boolean {
  const { inputs = [], after = [] } = world.plan[node] ?? {};
  const has = (one: number) => progress.handles[one] !== undefined;
  // A node that a person skipped ahead of its turn still hands on what it waits for itself.
  const isPassed = (one: number): boolean =>
    has(one) || (isByHand(one) && (progress.waitsFor[one] ?? []).every((needed) => isPassed(needed)));
  const isByHand = (one: number) =>
    progress.status[one] === 'skipped' && progress.failures.get(one)?.type === 'Skipped';
  return progress.status[node] === 'pending' && inputs.every(has) && after.every(isPassed) && isCovered(world, node);
}
