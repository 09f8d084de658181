/**
 * The activities that a run reaches into the world with beside its nodes. None of them has an effect above read, and none
 * is local: docs/decisions/queries.md.
 */

import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  scheduleActivity,
  type ActivityOptions,
} from '@temporalio/workflow';
import {
  ACTIVITIES,
  isHeld,
  PLANNING,
  problemOf,
  REPLIES,
  SLICE,
  type AgentReply,
  type AnswerReply,
  type AnswerRequest,
  type CompileReply,
  type CompileRequest,
  type Held,
  type KeepRequest,
  type KeysReply,
  type DecideReply,
  type DecideRequest,
  type LoadReply,
  type PlanningReply,
  type PlanningRequest,
  type ReportReply,
  type ReportRequest,
  type RunSlice,
  type SaveReply,
  type SentSlice,
} from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import type { Compiled, Decided, Planned } from './run/index.ts';

/** The server ends a run that hands more than 2 MiB to an activity. */
const MAX_REQUEST_BYTES = 1_900_000;

// No bound counts attempts: the worker does, by what was done (activities/attempts.ts). A worker that died has said nothing.
// None counts the time in all either: an activity waits for a worker as long as there is none.

/** Somebody waits for these while nodes stand in the same queue; 3 is what others have. */
const FIRST = { priority: { priorityKey: 1 } };

const OFTEN = { initialInterval: '1 second', backoffCoefficient: 2 } as const;
const SELDOM = { initialInterval: '2 seconds', backoffCoefficient: 2 } as const;
const BEATS = { heartbeatTimeout: '10 seconds' } as const;

/**
 * Compiling reads the store and writes to it; 20,000 nodes take about a second.
 * @bound .startToCloseTimeout compiling: an attempt
 * @beyond tried again
 */
const COMPILE_BOUNDS = { startToCloseTimeout: '5 minutes', ...BEATS, retry: SELDOM, ...FIRST } as const;
/**
 * A call may take the hour that a config allows it at most, and beats while it is made; four attempts are a try.
 * @bound .startToCloseTimeout a stage of the planner: an attempt
 * @beyond tried again
 */
const PLANNING_BOUNDS = { startToCloseTimeout: '65 minutes', ...BEATS, ...FIRST } as const;
/**
 * One call, and the compiling of what it decided. Attempts as the planner has them (Osprey: the retry policy of
 * deciding).
 * @bound .startToCloseTimeout deciding a step: an attempt
 * @beyond tried again
 */
const DECIDE_BOUNDS = { startToCloseTimeout: '65 minutes', ...BEATS, retry: SELDOM } as const;
/**
 * @bound .startToCloseTimeout saying why a run failed: an attempt
 * @beyond without it
 */
const REPORT_BOUNDS = { startToCloseTimeout: '60 seconds', ...BEATS, retry: OFTEN, ...FIRST } as const;
/**
 * Somebody waits for the answer; with no worker the message itself waits, not this.
 * @bound .startToCloseTimeout storing an answer, reading keys or loading what was handed over: an attempt
 * @beyond tried again
 */
const BRIEF_BOUNDS = { startToCloseTimeout: '30 seconds', retry: OFTEN, ...FIRST } as const;
/** The run does nothing else meanwhile: while the store is away, or all workers are busy, it goes on in this history, and asks again later. */
const SAVE_BOUNDS = {
  ...BRIEF_BOUNDS,
  /**
   * @bound saving what is handed over: an attempt
   * @beyond tried again
   */
  startToCloseTimeout: '10 seconds',
  /**
   * @bound {ms} saving what is handed over: the wait for a worker
   * @beyond goes on in this history
   */
  scheduleToStartTimeout: '60 seconds',
} as const;
/** The bounds of calls without which a run cannot go on: a store that is away comes back. */
const PATIENT_BOUNDS = { ...BRIEF_BOUNDS, retry: { ...OFTEN, maximumInterval: '30 seconds' } } as const;
/** It lasts as long as the agent does. */
const AGENT_BOUNDS = {
  startToCloseTimeout: '365 days',
  ...BEATS,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: PATIENT_BOUNDS.retry,
} as const;
/** Its worker has held it back: it has not begun, or is to be done again. */
export class HeldWork extends Error {
  override readonly name = 'HeldWork';
  readonly held: Held;
  constructor(held: Held) {
    super(held.held);
    this.held = held;
  }
}

export async function compilePlan(request: CompileRequest, summary: string): Promise<Compiled> {
  const activityId = request.base === undefined ? { activityId: 'compile' } : {};
  const options = { summary, ...activityId, ...COMPILE_BOUNDS };
  const reply: CompileReply = await reach(ACTIVITIES.compile, request, options);
  return reply.ok ? withSlice(request.chain, reply) : reply;
}

/** A slice as a run works with it: out of the reply itself, or put together of its pages. */
async function withSlice<Sent extends SentSlice>(
  chain: string,
  sent: Sent,
): Promise<Omit<Sent, 'pages'> & { slice: RunSlice }> {
  // The compiler does not tell the two kinds apart in a type that is not known yet.
  if ('slice' in sent) return sent as Sent & { slice: RunSlice };
  const { pages, ...rest } = sent;
  const slice = JSON.parse(await loadPages(chain, pages)) as RunSlice;
  const problem = problemOf(SLICE, slice);
  if (problem === undefined) return { ...rest, slice };
  throw new TypeError(`the pages of a plan are none; ${problem}`);
}

/** One stage further from a goal to a plan. Each stage has the attempts that the source of its rule gives it. */
export async function planGoal(request: PlanningRequest): Promise<Planned> {
  const stage = PLANNING[request.stage];
  const { initialMs, factor } = stage.retry;
  const retry = { initialInterval: initialMs, backoffCoefficient: factor };
  const options = { summary: stage.summary, ...PLANNING_BOUNDS, retry };
  const reply: PlanningReply = await reach(ACTIVITIES.plan, request, options);
  const { outcome } = reply;
  return { ...reply, outcome: outcome.is === 'compiled' ? await withSlice(request.chain, outcome) : outcome };
}

/** A call that takes its whole time is not made again (Pathfinder: a sub-agent that timed out). */
export async function decideStep(request: DecideRequest, round: number): Promise<Decided> {
  const summary = `Decide step ${round}`;
  const options = { summary, ...DECIDE_BOUNDS };
  const reply: DecideReply = await reach(ACTIVITIES.decide, request, options);
  const { decision, project } = reply;
  // Only the first round tells of the project, and a run that never heard of it would ask nobody.
  if (request.notes === undefined && project === undefined) {
    throw new TypeError(`the activity ${ACTIVITIES.decide} told nothing of the project in the first round`);
  }
  if (decision.is !== 'step') return { ...reply, decision };
  return { ...reply, decision: await withSlice(request.chain, decision) };
}

/** A report is no reason to keep anybody waiting: without one in time the run fails without it. */
export async function reportFailure(request: ReportRequest): Promise<ReportReply> {
  return reach(ACTIVITIES.report, request, { summary: 'Say why the run failed', ...REPORT_BOUNDS });
}

/** @param title of the node that asks, at most 80 bytes */
export async function storeAnswer(request: AnswerRequest, title: string): Promise<AnswerReply> {
  const asks = request.nodeId === undefined ? 'the planner' : `${request.nodeId} (${title})`;
  const summary = `Check and store the answer to ${asks}`;
  return reach(ACTIVITIES.store, request, { summary, ...BRIEF_BOUNDS });
}

export async function readKeys(): Promise<KeysReply> {
  return reach(ACTIVITIES.keys, undefined, { summary: "Read the project's public keys anew", ...BRIEF_BOUNDS });
}

/** Looks for the run of an agent that is there already, for the word by which it knows its parent. */
export async function findAgent(chain: string, workflowId: string): Promise<AgentReply> {
  return reach(
    ACTIVITIES.agent,
    { chain, workflowId },
    { summary: `Look at the agent's run ${workflowId}`, ...PATIENT_BOUNDS },
  );
}

/** A workflow has no handle of a run that it has not started. */
export async function awaitAgent(chain: string, workflowId: string): Promise<AgentReply> {
  const summary = `Await the agent's run ${workflowId}`;
  return reach(ACTIVITIES.agent, { chain, workflowId, ends: true }, { summary, ...AGENT_BOUNDS });
}

/** Only the run's end waits for it: where the store is away it ends without. */
export async function keepResults(request: KeepRequest): Promise<void> {
  await reach(ACTIVITIES.keep, request, { summary: 'Keep the results in the conversation', ...BRIEF_BOUNDS });
}

/** @param pages at most 1 MiB of UTF-8 each */
export async function savePages(chain: string, pages: readonly string[]): Promise<readonly string[]> {
  const refs: string[] = [];
  for (const page of pages) {
    const options = { summary: 'Save what the run carries over', ...SAVE_BOUNDS };
    const { refs: saved }: SaveReply = await reach(ACTIVITIES.save, { chain, pages: [page] }, options);
    if (saved[0] === undefined) throw new TypeError(`the activity ${ACTIVITIES.save} has saved nothing`);
    refs.push(saved[0]);
  }
  return refs;
}

/** The text that the pages make up together. */
export async function loadPages(chain: string, refs: readonly string[]): Promise<string> {
  let text = '';
  for (const ref of refs) {
    const options = { summary: 'Load what the run carries over', ...PATIENT_BOUNDS };
    const { page }: LoadReply = await reach(ACTIVITIES.load, { chain, ref }, options);
    text += page;
  }
  return text;
}

/** The failure of an activity, in words for the sender of a message. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return messageOf(cause);
}

function fitting<T>(request: T): T {
  const bytes = new TextEncoder().encode(JSON.stringify(request)).length;
  if (bytes <= MAX_REQUEST_BYTES) return request;
  throw ApplicationFailure.nonRetryable(
    `$: it takes ${bytes} bytes with what belongs to it, and a run passes on ${MAX_REQUEST_BYTES} at most; put the plan into the result store and send its reference ("ref")`,
    'InvalidInput',
  );
}

/**
 * An activity can be completed from outside, with anything.
 * @throws HeldWork; TypeError for what is no reply
 */
async function reach<Reply>(
  activity: keyof typeof REPLIES,
  request: unknown,
  options: ActivityOptions,
): Promise<Reply> {
  const args = request === undefined ? [] : [fitting(request)];
  const reply: unknown = await scheduleActivity(activity, args, options);
  if (isHeld(reply)) throw new HeldWork(reply);
  const problem = problemOf(REPLIES[activity], reply);
  if (problem === undefined) return reply as Reply;
  throw new TypeError(`the activity ${activity} was completed with what is no reply; ${problem}`);
}
