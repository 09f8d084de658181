/**
 * The activities that a run reaches into the world with beside its nodes. None of them has an effect above read, and none
 * is local: docs/decisions/queries.md.
 */

import { ActivityFailure, ApplicationFailure, scheduleActivity, type ActivityOptions } from '@temporalio/workflow';
import {
  isHeld,
  PLANNING,
  problemOf,
  REPLIES,
  type REQUESTS,
  SLICE,
  type AnswerReply,
  type CompileReply,
  type CompileRequest,
  type Of,
  type KeysReply,
  type LookReply,
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
import { HeldWork, unreadableReply } from './failures.ts';
import type { Compiled, Decided, Planned } from './run/index.ts';

/** The server ends a run that hands more than 2 MiB to an activity. */
const MAX_REQUEST_BYTES = 1_900_000;

// None has a time in all: an activity waits for a worker as long as there is none.

/**
 * Workers count the attempts of what they do, and of workers that were lost (activities/attempts.ts). The server counts
 * every attempt, so that one which never gets so far ends too: another build has no such activity, or memory is too small
 * for the request.
 * @bound attempts that the server makes beyond those that a worker counts
 * @beyond `RETRIABLE`, or what the last attempt failed with
 */
export const SPARE_ATTEMPTS = 20;
const maximumAttempts = 4 + SPARE_ATTEMPTS;

/** Somebody waits for these while nodes stand in the same queue; 3 is what others have. */
const FIRST = { priority: { priorityKey: 1 } };

const OFTEN = { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts } as const;
const SELDOM = { ...OFTEN, initialInterval: '2 seconds' } as const;
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
  readonly lookAtAgents: LookReply;
}

/**
 * Somebody waits for the answer; with no worker the message itself waits, not this.
 * @bound .startToCloseTimeout storing an answer, reading keys or loading what was handed over, or looking at agents' runs: an attempt
 * @beyond tried again
 */
const BRIEF = { startToCloseTimeout: '30 seconds', retry: OFTEN, ...FIRST } as const;

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
  loadPages: BRIEF,
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
  lookAtAgents: BRIEF,
} as const satisfies Record<keyof Replies, ActivityOptions>;

/** @throws HeldWork; ApplicationFailure for what is no reply */
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
  throw unreadableReply(`the activity ${activity} was completed with what is no reply; ${problem}`);
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
  const slice = await loadJson(chain, pages);
  const problem = problemOf(SLICE, slice);
  if (problem === undefined) return { ...rest, slice: slice as RunSlice };
  throw unreadableReply(`the pages of a plan are none; ${problem}`);
}

/** One stage further from a goal to a plan. */
export async function planGoal(request: PlanningRequest): Promise<Planned> {
  const { summary, retry } = PLANNING[request.stage];
  const { initialMs, factor } = retry;
  const more = { retry: { initialInterval: initialMs, backoffCoefficient: factor, maximumAttempts } };
  const { outcome, ...reply } = await reach('planGoal', request, summary, more);
  return { ...reply, outcome: outcome.is === 'compiled' ? await withSlice(request.chain, outcome) : outcome };
}

export async function decideStep(request: DecideRequest): Promise<Decided> {
  const reply = await reach('decideStep', request, `Decide step ${request.round}`);
  const { decision, project } = reply;
  // Only the first round tells of the project, and a run that never heard of it would ask nobody.
  if (request.notes === undefined && project === undefined) {
    throw unreadableReply('the activity decideStep told nothing of the project in the first round');
  }
  if (decision.is !== 'step') return { ...reply, decision };
  return { ...reply, decision: await withSlice(request.chain, decision) };
}

/** @param pages at most 1 MiB of UTF-8 each */
export async function savePages(chain: string, pages: readonly string[]): Promise<readonly string[]> {
  const refs: string[] = [];
  for (const page of pages) {
    const { refs: saved } = await reach('savePages', { chain, pages: [page] }, 'Save what the run carries over');
    if (saved[0] === undefined) throw unreadableReply('the activity savePages has saved nothing');
    refs.push(saved[0]);
  }
  return refs;
}

/** The JSON that the pages make up together. */
export async function loadJson(chain: string, refs: readonly string[]): Promise<unknown> {
  let text = '';
  for (const ref of refs) text += (await reach('loadPages', { chain, ref }, 'Load what the run carries over')).page;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadableReply(`the activity loadPages was completed with what is no JSON; ${messageOf(error)}`);
  }
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
