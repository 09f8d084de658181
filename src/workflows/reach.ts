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
  isHeld,
  PLANNING,
  problemOf,
  REPLIES,
  type REQUESTS,
  SLICE,
  type AgentReply,
  type AnswerReply,
  type CompileReply,
  type CompileRequest,
  type Held,
  type Of,
  type KeysReply,
  type DecideReply,
  type DecideRequest,
  type LoadReply,
  type PlanningReply,
  type PlanningRequest,
  type ReportReply,
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

interface Replies {
  readonly compilePlan: CompileReply;
  readonly planGoal: PlanningReply;
  readonly decideStep: DecideReply;
  readonly reportFailure: ReportReply;
  readonly storeAnswer: AnswerReply;
  readonly readKeys: KeysReply;
  readonly loadPages: LoadReply;
  readonly savePages: SaveReply;
  readonly keepResults: unknown;
  readonly awaitAgent: AgentReply;
}

/**
 * Somebody waits for the answer; with no worker the message itself waits, not this.
 * @bound .startToCloseTimeout storing an answer, reading keys or loading what was handed over: an attempt
 * @beyond tried again
 */
const BRIEF = { startToCloseTimeout: '30 seconds', retry: OFTEN, ...FIRST } as const;
/** For calls without which a run cannot go on: a store that is away comes back. */
const PATIENT = { ...OFTEN, maximumInterval: '30 seconds' } as const;

const BOUNDS = {
  /**
   * Compiling reads the store and writes to it; 20,000 nodes take about a second.
   * @bound .startToCloseTimeout compiling: an attempt
   * @beyond tried again
   */
  compilePlan: { startToCloseTimeout: '5 minutes', ...BEATS, retry: SELDOM, ...FIRST },
  /**
   * A call may take the hour that a config allows it at most, and beats while it is made; four attempts are a try. Each
   * stage has the attempts that the source of its rule gives it.
   * @bound .startToCloseTimeout a stage of the planner: an attempt
   * @beyond tried again
   */
  planGoal: { startToCloseTimeout: '65 minutes', ...BEATS, ...FIRST },
  /**
   * One call, and the compiling of what it decided. Attempts as the planner has them (Osprey: the retry policy of
   * deciding). A call that takes its whole time is not made again (Pathfinder: a sub-agent that timed out).
   * @bound .startToCloseTimeout deciding a step: an attempt
   * @beyond tried again
   */
  decideStep: { startToCloseTimeout: '65 minutes', ...BEATS, retry: SELDOM },
  /**
   * A report is no reason to keep anybody waiting: without one in time the run fails without it.
   * @bound .startToCloseTimeout saying why a run failed: an attempt
   * @beyond without it
   */
  reportFailure: { startToCloseTimeout: '60 seconds', ...BEATS, retry: OFTEN, ...FIRST },
  storeAnswer: BRIEF,
  readKeys: BRIEF,
  loadPages: { ...BRIEF, retry: PATIENT },
  /** Only the run's end waits for it: where the store is away it ends without. */
  keepResults: BRIEF,
  /** The run does nothing else meanwhile: while the store is away, or all workers are busy, it goes on in this history, and asks again later. */
  savePages: {
    ...BRIEF,
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
  },
  awaitAgent: { ...BRIEF, retry: PATIENT },
} as const satisfies Record<keyof Replies, ActivityOptions>;

/** To await an agent's run lasts as long as that does. */
const AWAITS = {
  startToCloseTimeout: '365 days',
  ...BEATS,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
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

/**
 * An activity can be completed from outside, with anything.
 * @throws HeldWork; TypeError for what is no reply
 */
export async function reach<Activity extends keyof Replies>(
  activity: Activity,
  request: Of<(typeof REQUESTS)[Activity]>,
  summary: string,
  more: ActivityOptions = {},
): Promise<Replies[Activity]> {
  const args = request === undefined ? [] : [fitting(request)];
  const reply: unknown = await scheduleActivity(activity, args, { summary, ...BOUNDS[activity], ...more });
  if (isHeld(reply)) throw new HeldWork(reply);
  const problem = problemOf(REPLIES[activity], reply);
  if (problem === undefined) return reply as Replies[Activity];
  throw new TypeError(`the activity ${activity} was completed with what is no reply; ${problem}`);
}

export async function compilePlan(request: CompileRequest, summary: string): Promise<Compiled> {
  const isFirst = request.base === undefined;
  const reply = await reach('compilePlan', request, summary, isFirst ? { activityId: 'compile' } : {});
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

/** One stage further from a goal to a plan. */
export async function planGoal(request: PlanningRequest): Promise<Planned> {
  const { summary, retry } = PLANNING[request.stage];
  const { initialMs, factor } = retry;
  const more = { retry: { initialInterval: initialMs, backoffCoefficient: factor } };
  const { outcome, ...reply } = await reach('planGoal', request, summary, more);
  return { ...reply, outcome: outcome.is === 'compiled' ? await withSlice(request.chain, outcome) : outcome };
}

export async function decideStep(request: DecideRequest): Promise<Decided> {
  const reply = await reach('decideStep', request, `Decide step ${request.round}`);
  const { decision, project } = reply;
  // Only the first round tells of the project, and a run that never heard of it would ask nobody.
  if (request.notes === undefined && project === undefined) {
    throw new TypeError('the activity decideStep told nothing of the project in the first round');
  }
  if (decision.is !== 'step') return { ...reply, decision };
  return { ...reply, decision: await withSlice(request.chain, decision) };
}

/** Awaits the run of an agent that is there already: a workflow has no handle of a run that it has not started. */
export async function awaitAgent(chain: string, workflowId: string): Promise<AgentReply> {
  return reach('awaitAgent', { chain, workflowId, ends: true }, `Await the agent's run ${workflowId}`, AWAITS);
}

/** @param pages at most 1 MiB of UTF-8 each */
export async function savePages(chain: string, pages: readonly string[]): Promise<readonly string[]> {
  const refs: string[] = [];
  for (const page of pages) {
    const { refs: saved } = await reach('savePages', { chain, pages: [page] }, 'Save what the run carries over');
    if (saved[0] === undefined) throw new TypeError('the activity savePages has saved nothing');
    refs.push(saved[0]);
  }
  return refs;
}

/** The text that the pages make up together. */
export async function loadPages(chain: string, refs: readonly string[]): Promise<string> {
  let text = '';
  for (const ref of refs) text += (await reach('loadPages', { chain, ref }, 'Load what the run carries over')).page;
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
