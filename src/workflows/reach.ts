/**
 * The activities that a run reaches into the world with beside its nodes. None of them has an effect above read, and none
 * is local: docs/decisions/queries.md.
 */

import {
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  type ActivityOptions,
  type RetryPolicy,
} from '@temporalio/workflow';
import {
  isDeferral,
  PLANNING,
  problemOf,
  REPLIES,
  type REQUESTS,
  SLICE,
  type Activities,
  type CompileRequest,
  type Of,
  type DecideRequest,
  type PlanningRequest,
  type RunSlice,
  type SentSlice,
} from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import { DeferredWork, unreadableReply } from './failures.ts';
import type { Compiled, Decided, Planned } from './run/index.ts';

/** The server ends a run that hands more than 2 MiB to an activity. */
const MAX_REQUEST_BYTES = 1_900_000;

// None has a time in all: an activity waits for a worker as long as there is none.

/**
 * As long as the attempts of a capability by default, for the same reason.
 * @bound attempts at a compile, a part, an answer, or what is carried over
 * @beyond as their failures say; where the last worker was lost over a compile, a person is asked
 */
export const MAX_ATTEMPTS = 5;
/**
 * @bound attempts at a decision (Osprey: the retry policy of deciding)
 * @beyond the run fails, or waits for a model that is away
 */
const DECIDING_ATTEMPTS = 4;
/**
 * @bound attempts at what a run can do without for now: the report, results of a conversation, a look at agents' runs
 * @beyond without it, or again later
 */
const FEW_ATTEMPTS = 3;

/** Somebody waits for these while nodes stand in the same queue; 3 is what others have. */
const FIRST = { priority: { priorityKey: 1 } };

const RETRY = { initialInterval: '1 second', backoffCoefficient: 4, maximumAttempts: MAX_ATTEMPTS } as const;
const FEW = { ...RETRY, maximumAttempts: FEW_ATTEMPTS } as const;
/** Compiling may compute for seconds on a busy machine. */
const BEATS = { heartbeatTimeout: '5 seconds' } as const;

/**
 * Somebody waits for the answer; with no worker the message itself waits, not this.
 * @bound .startToCloseTimeout storing an answer, reading keys or loading what was handed over, or looking at agents' runs: an attempt
 * @beyond tried again
 */
const BRIEF = { startToCloseTimeout: '30 seconds', retry: RETRY, ...FIRST } as const;

/**
 * A call may take the hour that a config allows it at most, and beats while it is made.
 * @bound .startToCloseTimeout a stage of the planner, or deciding a step: an attempt
 * @beyond tried again; a step is not decided again
 */
const CALL = { startToCloseTimeout: '65 minutes', ...BEATS } as const;

/** Each calls its activity. @throws DeferredWork; ApplicationFailure for what is no reply */
type Stubs<Called extends Partial<Activities>> = {
  readonly [Name in keyof Called]: (
    request: Of<(typeof REQUESTS)[Name & keyof Activities]>,
    summary: string,
    more?: More,
  ) => Promise<Of<(typeof REPLIES)[Name & keyof Activities]>>;
};

const OPTIONS = {
  /**
   * Compiling reads the store and writes to it; 20,000 nodes take about a second.
   * @bound .startToCloseTimeout compiling: an attempt
   * @beyond tried again
   */
  compilePlan: { startToCloseTimeout: '5 minutes', ...BEATS, retry: RETRY, ...FIRST },
  /** Each stage has the attempts that the source of its rule gives it. */
  planGoal: { ...CALL, ...FIRST },
  /**
   * One call, and the compiling of what it decided. Attempts as the planner has them (Osprey: the retry policy of
   * deciding). A call that takes its whole time is not made again (Pathfinder: a sub-agent that timed out).
   */
  decideStep: {
    ...CALL,
    retry: {
      initialInterval: '2 seconds',
      backoffCoefficient: 2,
      maximumAttempts: DECIDING_ATTEMPTS,
      nonRetryableErrorTypes: ['TemporalTimeout:StartToClose'],
    },
  },
  /**
   * A report is no reason to keep anybody waiting: without one in time the run fails without it.
   * @bound .startToCloseTimeout saying why a run failed: an attempt
   * @beyond without it
   */
  reportFailure: { startToCloseTimeout: '60 seconds', ...BEATS, retry: FEW, ...FIRST },
  storeAnswer: BRIEF,
  readKeys: BRIEF,
  loadPages: BRIEF,
  /** Only the run's end waits for it: where the store is away it ends without. */
  keepResults: { ...BRIEF, retry: FEW },
  /** The run does nothing else meanwhile: while the store is away, or all workers are busy, it goes on in this history, and asks again later. */
  savePages: {
    ...BRIEF,
    retry: FEW,
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
  lookAtAgents: { ...BRIEF, retry: FEW },
} as const satisfies Partial<Record<keyof Activities, ActivityOptions>>;

interface More extends Pick<ActivityOptions, 'activityId'> {
  readonly retry?: RetryPolicy;
  /** Attempts that were made before it was scheduled again. */
  readonly before?: number | undefined;
}

function stub(name: keyof typeof OPTIONS) {
  const profile: ActivityOptions = OPTIONS[name];
  const { [name]: activity } = proxyActivities<Activities>(profile);
  return async (request: unknown, summary: string, { before = 0, retry = profile.retry, ...more }: More = {}) => {
    const args = request === undefined ? [] : [fitting(request)];
    const left = Math.max(1, (retry?.maximumAttempts ?? 1) - before);
    const options = { summary, ...more, retry: { ...retry, maximumAttempts: left } };
    const reply: unknown = await activity.executeWithOptions(options, args as never);
    if (isDeferral(reply)) throw new DeferredWork(reply);
    const problem = problemOf(REPLIES[name], reply);
    if (problem === undefined) return reply;
    throw unreadableReply(`the activity ${name} was completed with what is no reply; ${problem}`);
  };
}

/** The activities that no node starts. An editor goes from a call of one to the row of its request. */
export const reach = Object.fromEntries(
  Object.keys(OPTIONS).map((name) => [name, stub(name as keyof typeof OPTIONS)]),
) as unknown as Stubs<Pick<Activities, keyof typeof OPTIONS>>;

export async function compilePlan(request: CompileRequest, summary: string, before?: number): Promise<Compiled> {
  const isFirst = request.base === undefined;
  const reply = await reach.compilePlan(request, summary, { before, ...(isFirst && { activityId: 'compile' }) });
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
export async function planGoal(request: PlanningRequest, before?: number): Promise<Planned> {
  const { summary, retry } = PLANNING[request.stage];
  const { initialMs, factor, attempts } = retry;
  const more = { retry: { initialInterval: initialMs, backoffCoefficient: factor, maximumAttempts: attempts }, before };
  const { outcome, ...reply } = await reach.planGoal(request, summary, more);
  return { ...reply, outcome: outcome.is === 'compiled' ? await withSlice(request.chain, outcome) : outcome };
}

export async function decideStep(request: DecideRequest, before?: number): Promise<Decided> {
  const reply = await reach.decideStep(request, `Decide step ${request.round}`, { before });
  const { decision, project } = reply;
  // Only the first round tells of the project, and a run that never heard of it would ask nobody.
  if (request.notes === undefined && project === undefined) {
    throw unreadableReply('the activity decideStep told nothing of the project in the first round');
  }
  if (decision.is !== 'step') return { ...reply, decision };
  return { ...reply, decision: await withSlice(request.chain, decision) };
}

/** Saves pages of at most 1 MiB of UTF-8, all at once: together they may be more than one request takes. */
export async function savePages(chain: string, pages: readonly string[]): Promise<readonly string[]> {
  const saved = pages.map((page) => reach.savePages({ chain, pages: [page] }, 'Save what the run carries over'));
  return (await Promise.all(saved)).map(({ refs: [ref] }) => {
    if (ref === undefined) throw unreadableReply('the activity savePages has saved nothing');
    return ref;
  });
}

/** The JSON that the pages make up together. */
export async function loadJson(chain: string, refs: readonly string[]): Promise<unknown> {
  const loading = refs.map((ref) => reach.loadPages({ chain, ref }, 'Load what the run carries over'));
  const text = (await Promise.all(loading)).map(({ page }) => page).join('');
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
