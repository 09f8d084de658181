/** What holds of every run at every moment, whatever was said to it and in whatever order. */

import { writtenOf, inLine, waiting } from '../make-run.ts';
import { restoreRun } from '../../../../src/workflows/run/hand-over.ts';
import { expect } from 'vitest';
import { NODE_STATUSES, REFUSALS, type Refused, type TraceEntry } from '../../../../src/protocol/index.ts';
import type { Progress, Run } from '../../../../src/workflows/run/in-memory.ts';
import { shouldReplan } from '../../../../src/workflows/run/replan.ts';
import type { CarriedState } from '../../../../src/workflows/run/state.ts';
import { countTasks } from '../../../../src/workflows/run/task-traits.ts';
import { runDetails } from '../../../../src/workflows/views/details.ts';
import { questionsOf } from '../../../../src/workflows/views/open-items.ts';
import { rolesWaitedFor } from '../../../../src/workflows/views/openings.ts';
import { traceOf } from '../../../../src/workflows/run/trace.ts';
import { planOf, statusOf, nodesOf } from '../../../../src/workflows/views/views.ts';
import type { Orders } from '../../../../src/workflows/run/turn.ts';
import { count, hold, isCovered, now, type Sent, type World } from './model.ts';

/** Messages and defaults that activities work for at once. */
const MOST_REQUESTED = 50;
const ITEMS_PER_PAGE = 100;

/** Everything about a run that a refusal must leave alone; its trace is what it may change. */
export function essenceOf({ state, execution, tasks }: Run): string {
  const { subject: _, ...approval } = state.approval;
  const { questions, answered, paused, cancelled, failure } = state;
  const { progress, unsettled, retries } = execution ?? {};
  const nodes = Object.values(tasks).map((one) => (one.kind === 'node' ? [one.node, one.stopping] : one.kind));
  return JSON.stringify(
    [
      [approval, questions, answered, paused, cancelled, failure, unsettled, retries],
      [progress?.status, progress?.handles, progress?.failures, progress?.causes],
      nodes.filter((one) => one !== 'message' && one !== 'default'),
    ],
    (__, value: unknown) => (value instanceof Set || value instanceof Map ? [...value] : value),
  );
}

/** Everything that can be seen of a run from outside. */
export function seenOf(run: Run): Readonly<Record<string, unknown>> {
  return {
    status: statusOf(run),
    plan: planOf(run),
    nodes: nodesOf(run),
    questions: questionsOf(run),
    trace: traceOf(run.state.trace),
    roles: rolesWaitedFor(run),
    details: runDetails(run),
  };
}

/** The run as it is taken up from what is written down of it: the same to the byte. */
export function takenUp({ workflowId, execution, ...rest }: Run): Run {
  const run: Run = { workflowId, execution, ...rest };
  const text = writtenOf(run);
  const planShape =
    execution === undefined
      ? undefined
      : (JSON.parse(JSON.stringify(execution.planShape)) as typeof execution.planShape);
  const again = restoreRun(workflowId, JSON.parse(text) as CarriedState, planShape);
  hold('what is written down of a run that was taken up', writtenOf(again), text);
  return again;
}

export function checkRefused({ refusal, reason }: Refused): void {
  if (!REFUSALS.includes(refusal) || reason.length <= 10) expect({ refusal, reason }).toBe('a refusal with its reason');
}

/** What was taken is on record: who, in which role, when, about which plan, with which comment. */
export function checkOnRecord(world: World, { name, payload, at }: Sent, entry: TraceEntry): void {
  const { role, comment, digest, question, value } = payload as Record<string, unknown>;
  if (entry.at !== at) hold('when it was taken', entry.at, now(world));
  const said: Readonly<Record<string, unknown>> = { ...entry.said };
  for (const [key, wanted] of Object.entries({ role, comment })) {
    if (wanted !== undefined) hold(key, said[key], wanted);
  }
  hold('verified', said['verified'], false);
  if (name !== 'answer' && name !== 'control') {
    hold('its plan', String(said['digest']).startsWith(String(digest).toLowerCase()), true);
  }
  // An answer to the planner is no result of a node.
  if (name === 'answer' && world.askedBy.has(String(question))) {
    const key = world.askedBy.get(String(question));
    const place = world.plan.findIndex((one) => one.key === key);
    hold('the answer', world.run.execution?.progress.handles[place]?.ref, `ref-${JSON.stringify(value)}`);
  }
}

/** @param isHeld nothing new may begin */
export function checkWorld(world: World, { due }: Orders, isHeld: boolean): void {
  const { run, plan } = world;
  const { state, execution, tasks } = run;
  // Whoever looks gets an answer.
  const [items, status] = [questionsOf(run), statusOf(run)];
  runDetails(run);
  traceOf(state.trace);
  nodesOf(run);
  const underWay = Object.entries(tasks).flatMap(([id, { isDeferred }]) => (isDeferred === true ? [] : [Number(id)]));
  hold(
    'what is under way',
    underWay,
    [...world.flights.keys()].toSorted((a, b) => a - b),
  );
  hold('how much work there is of each kind', run.counts, countTasks(tasks));
  const requested = Object.values(tasks).filter(({ kind }) => kind === 'message' || kind === 'default');
  hold('not too much at once for messages', requested.length <= MOST_REQUESTED, true);
  if (requested.length === MOST_REQUESTED && inLine(world.run) > 0) count(world, 'stands in line');
  hold('the next turn is not due yet', due === undefined || due > now(world), true);
  hold('what arrived was looked at', waiting(world.run, 'turn').length, 0);
  if (execution === undefined) return;
  const { progress, unsettled } = execution;
  const { approval } = state;
  hold('open items', Math.min(status.waitingFor, ITEMS_PER_PAGE), items.length);
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
  const nodes = Object.values(tasks).flatMap((one) => (one.kind === 'node' ? [one.node] : []));
  hold('running', progress.counts.running, nodes.length);
  hold('one piece of work per node', new Set(nodes).size, nodes.length);
  if (approval.phase === 'closed') {
    const left = [
      progress.counts.pending,
      progress.counts.waiting,
      Object.keys(unsettled).length,
      Object.keys(state.questions).length,
    ];
    hold('nothing is left of a closed run but what is under way', left, [0, 0, 0, 0]);
    return;
  }
  hold(
    'uncovered',
    approval.uncovered,
    plan.flatMap((_, node) => (isCovered(world, node) ? [] : [node])),
  );
  hold('phase', approval.phase, approval.uncovered.length > 0 ? 'awaiting-approval' : 'running');
  if (state.paused) return;
  // A rejected plan starts nothing before it is edited.
  const busy = atWork(world);
  hold('no more at work than the window takes', busy <= progress.window, true);
  if (busy < progress.window && !approval.rejected && !isHeld && !shouldReplan(run)) {
    const left = plan.flatMap((_, node) => (isReady(world, progress, node) ? [node] : []));
    hold('ready nodes that nobody started', left, []);
  }
  // Somebody or something will move it on.
  hold('something or somebody moves it on', Object.keys(tasks).length > 0 || due !== undefined, true);
}

function isReady(world: World, progress: Progress, node: number): boolean {
  const { inputs = [], after = [], effect, resource } = world.plan[node] ?? {};
  const has = (one: number) => progress.handles[one] !== undefined;
  // A node that a person skipped ahead of its turn still hands on what it waits for itself.
  const isPassed = (one: number): boolean =>
    has(one) || (isByHand(one) && (progress.waitsFor[one] ?? []).every((needed) => isPassed(needed)));
  const isByHand = (one: number) => progress.status[one] === 'skipped' && progress.failures[one]?.type === 'Skipped';
  const isOvertaken = effect !== 'read' && isEffectUnused(world);
  return (
    progress.status[node] === 'pending' &&
    !isOvertaken &&
    !(resource !== undefined && isTaken(world, resource)) &&
    inputs.every(has) &&
    after.every(isPassed) &&
    isCovered(world, node)
  );
}

/** Somebody writes to it. */
export function isTaken({ flights }: World, resource: string): boolean {
  for (const flight of flights.values()) if (flight.resource === resource) return true;
  return false;
}

/** An effect of a plan before is still under way: no other effect may begin before it has ended. */
export function isEffectUnused({ flights, plan }: World): boolean {
  const keys = new Set(plan.map(({ key }) => key));
  for (const { kind, key = '', effect } of flights.values()) {
    if (kind === 'node' && effect !== 'read' && !keys.has(key)) return true;
  }
  return false;
}

/** How many nodes of the open plan are at work at once at most. */
function atWork({ run, flights }: World): number {
  let single = 0;
  const pieces = new Map<string, number>();
  for (const { id, part } of flights.values()) {
    if (run.tasks[id]?.kind !== 'node') continue;
    if (part === undefined) single += 1;
    else pieces.set(part, (pieces.get(part) ?? 0) + 1);
  }
  for (const [name, open] of pieces) single += Math.min(open, run.parts.get(name)?.slots ?? 0);
  return single;
}
