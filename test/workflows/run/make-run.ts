/** Small runs for the tests of this room, and what surrounds them: time, work that lands, people who say something. */

import type { Message, CarriedState } from '../../../src/workflows/run/state.ts';
import type {
  Asked,
  MessageName,
  NodeEnd,
  NodeExecutor,
  ProjectPolicy,
  Reply,
  ResultHandle,
  RunOptions,
  PlanShape,
} from '../../../src/protocol/index.ts';
import type { Effect } from '../../../src/plan/index.ts';
import { restoreRun, stateOf } from '../../../src/workflows/run/hand-over.ts';
import { applyEnd } from '../../../src/workflows/run/arrive.ts';
import type { TaskEnd } from '../../../src/workflows/run/task-traits.ts';
import type { Progress, Run } from '../../../src/workflows/run/in-memory.ts';
import { openRun, planCompiled } from '../../../src/workflows/run/run.ts';
import type { Verify } from '../../../src/workflows/run/talk/authenticate.ts';
import { receive } from '../../../src/workflows/run/talk/inbox.ts';
import { takeTurn, type Orders, type TurnInput } from '../../../src/workflows/run/turn.ts';
import { taskOn } from '../../../src/workflows/run/tasks.ts';

export const AT = '2026-01-02T03:04:05.000Z';
export const DIGEST = '3fa9c1d2'.repeat(8);
export const NO_PROJECT: ProjectPolicy = { inbox: false };
export const BROKE = { type: 'CRITICAL', message: 'broke' };

/** No token is good. */
export const REFUSES: Verify = () => ({ ok: false, reason: 'no token is good here' });

export function later(ms: number, than: string = AT): string {
  return new Date(Date.parse(than) + ms).toISOString();
}

export function handle(ref: string): ResultHandle {
  return { ref, kind: 'set', count: 3, bytes: 9 };
}

export function executor(effect: Effect, name?: string, cost?: number): NodeExecutor {
  return {
    label: `capability ${name ?? effect}@1 ${effect}`,
    kind: 'task',
    effect,
    ...(name !== undefined && { name }),
    ...(cost !== undefined && { cost }),
    startToCloseMs: 1,
    heartbeatMs: 1,
    retry: { attempts: 1, initialMs: 1, factor: 1 },
  };
}

/** A plan of reads with these inputs, unless `over` says otherwise. */
export function shapeOf(inputs: PlanShape['inputs'], over: Partial<PlanShape> = {}): PlanShape {
  return {
    goal: 'Find *genes*',
    digest: DIGEST,
    revisionRef: 'rev',
    root: inputs.length - 1,
    inputs,
    executors: [executor('read')],
    executorOf: inputs.map(() => 0),
    summaries: inputs.map((_, node) => `node ${node}`),
    text: 'tree',
    ...over,
  };
}

/** So many nodes, none of which needs another. */
export function wideShape(nodes: number, over: Partial<PlanShape> = {}): PlanShape {
  return shapeOf(
    Array.from({ length: nodes }, () => []),
    over,
  );
}

export function openedRun(planShape: PlanShape, options: Partial<RunOptions> = {}, project = NO_PROJECT): Run {
  const run = openRun('plan-1', AT);
  run.state.options = { ...run.state.options, ...options };
  planCompiled(run, planShape, project, AT);
  return run;
}

/** A run whose plan one person has approved, with its first nodes under way. */
export function approvedRun(planShape: PlanShape, options: Partial<RunOptions> = {}, project = NO_PROJECT): Run {
  const run = openedRun(planShape, options, project);
  say(run, 'approve', { digest: planShape.digest.slice(0, 8), by: 'operator' });
  return run;
}

export function turn(run: Run, at: string = AT, over: Partial<TurnInput> = {}): Orders {
  return takeTurn(run, { at, verify: REFUSES, pressure: 'none', ...over });
}

/**
 * Says something to a run, which takes turns until it replies; what has to be stored for it is there at once, under `ref`.
 */
export function say(
  run: Run,
  name: MessageName,
  payload: unknown,
  at: string = AT,
  ref = 'stored',
  verify: Verify = REFUSES,
): Reply {
  const id = receive(run, { name, payload, at });
  for (;;) {
    const { begin, replies } = turn(run, at, { verify });
    const reply = replies.findLast(({ message }) => message === id)?.reply;
    if (reply !== undefined) return reply;
    const work = begin.find((one) => isFor(run, one, id));
    if (work === undefined) throw new Error('nobody replied, and nothing is under way for it');
    applyEnd(run, work, { ok: true, value: { ok: true, handle: handle(ref) } }, at, verify);
  }
}

/** Says something that an activity has to work for first: its message and the work, which is under way. */
export function sayAndWait(run: Run, name: MessageName, payload: unknown, at: string = AT) {
  const message = receive(run, { name, payload, at });
  const { begin } = turn(run, at);
  const work = begin.find((one) => isFor(run, one, message));
  if (work === undefined) throw new Error('nothing is under way for it');
  return { message, work };
}

/** Of the open plan, unless `over` says otherwise. */
export function editOf(run: Run, over: object = {}) {
  return { kind: 'edit', digest: run.state.approval.digest, by: 'editor', plan: {}, ...over };
}

/** What an edit under way is answered when its plan is compiled. */
export function applyEdit(
  run: Run,
  { message, work }: { readonly message: number; readonly work: number },
  planShape: PlanShape,
  sameAs: readonly number[],
  at: string = AT,
): Reply | undefined {
  landed(run, work, { ok: true, planShape, sameAs, project: NO_PROJECT }, at);
  return run.outbox.replies.find((one) => one.message === message)?.reply;
}

/** An edit of the open plan that is compiled at once. */
export function edit(run: Run, planShape: PlanShape, sameAs: readonly number[], at: string = AT): Reply | undefined {
  const reply = applyEdit(run, sayAndWait(run, 'decide', editOf(run), at), planShape, sameAs, at);
  turn(run, at);
  return reply;
}

/** Work lands with what its activity returned. */
export function landed(run: Run, id: number, value: unknown, at: string = AT): void {
  applyEnd(run, id, { ok: true, value }, at, REFUSES);
}

/** Work lands with how it ended instead. */
export function failed(run: Run, id: number, end: NodeEnd, at: string = AT, verify: Verify = REFUSES): void {
  const failure = { type: 'RETRIABLE', message: end.message, details: [] } as const;
  applyEnd(run, id, { ok: false, end, failure } satisfies TaskEnd, at, verify);
}

/** The work on a node ends: with a result, with a question, or with neither. */
export function bring(run: Run, node: number, brought: ResultHandle | Asked | NodeEnd, at: string = AT): void {
  const id = taskOn(run, node);
  if (id === undefined) throw new Error(`nothing is under way for node ${node}`);
  if ('status' in brought) failed(run, id, brought, at);
  else landed(run, id, brought, at);
}

/** The nodes that are under way. */
export function underWay(run: Run): number[] {
  return Object.values(run.tasks).flatMap((work) => (work.kind === 'node' ? [work.node] : []));
}

export function progressOf(run: Run): Progress {
  if (run.execution === undefined) throw new Error('the run has no plan');
  return run.execution.progress;
}

/** The messages in the inbox that wait for this. */
export function waiting({ state: { inbox } }: Run, what: Message['waitsFor']): readonly Message[] {
  return inbox.filter(({ waitsFor }) => waitsFor === what);
}

/** Messages and defaults that wait until activities have room for them. */
export function inLine(run: Run): number {
  return waiting(run, 'room').length + run.state.defaults.length;
}

function isFor(run: Run, work: number, message: number): boolean {
  const one = run.tasks[work];
  return one?.kind === 'message' && one.message === message;
}

/** The state of a run as JSON. */
export function writtenOf(run: Run): string {
  return JSON.stringify(stateOf(run));
}

/** The run as the next history takes it up. */
export function takenUp(run: Run, planShape: PlanShape | undefined = run.execution?.planShape): Run {
  const { pages = [] } = run.execution ?? {};
  return restoreRun(run.workflowId, JSON.parse(writtenOf(run)) as CarriedState, planShape, { planShape: { pages } });
}

export function refsOf(handles: Readonly<Record<number, ResultHandle>>): Record<string, string> {
  return Object.fromEntries(Object.entries(handles).map(([node, { ref }]) => [node, ref]));
}
