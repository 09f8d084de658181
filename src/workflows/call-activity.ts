/**
 * The activities of a run besides its nodes. None has an effect above read, and none is local:
 * docs/decisions/queries.md.
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

/** The server ends a run that sends more than 2 MiB to an activity. */
const MAX_REQUEST_BYTES = 1_900_000;

// No activity has a total time limit: it waits as long as there is no worker.

/** The same number as for a capability by default, for the same reason. */
export const MAX_ATTEMPTS = 5;
/** Osprey: the retry policy of deciding. */
const DECIDING_ATTEMPTS = 4;
/** For what a run can do without for now: the report, results of a conversation, a look at agents' runs. */
const FEW_ATTEMPTS = 3;

/** Somebody waits for these while nodes are in the same queue. Other activities have priority 3. */
const FIRST = { priority: { priorityKey: 1 } };

/**
 * For work that a worker has deferred. The server gives an activity first to the worker that ordered it: a worker of
 * another version would defer it for ever, while the right one stands by.
 */
export const TO_ANY_WORKER = { allowEagerDispatch: false } as const;

const RETRY = { initialInterval: '1 second', backoffCoefficient: 4, maximumAttempts: MAX_ATTEMPTS } as const;
const FEW = { ...RETRY, maximumAttempts: FEW_ATTEMPTS } as const;
/** A compile may compute for seconds on a busy machine. */
const BEATS = { heartbeatTimeout: '5 seconds' } as const;

/** Somebody waits for the answer. Without a worker the message waits, not this time. */
const BRIEF = { startToCloseTimeout: '30 seconds', retry: RETRY, ...FIRST } as const;

/** A config allows up to an hour for a call, and the call sends heartbeats. */
const CALL = { startToCloseTimeout: '65 minutes', ...BEATS } as const;

/** Each calls its activity. @throws DeferredWork; ApplicationFailure for an unreadable reply */
type Stubs<Called extends Partial<Activities>> = {
  readonly [Name in keyof Called]: (
    request: Of<(typeof REQUESTS)[Name & keyof Activities]>,
    summary: string,
    more?: More,
  ) => Promise<Of<(typeof REPLIES)[Name & keyof Activities]>>;
};

const OPTIONS = {
  /** A compile reads and writes the store; 20,000 nodes take about a second. */
  compilePlan: { startToCloseTimeout: '5 minutes', ...BEATS, retry: RETRY, ...FIRST },
  /** Each stage sets its own attempts. */
  planGoal: { ...CALL, ...FIRST },
  /**
   * One call and the compile of its decision. The planner has as many attempts (Osprey: the retry policy of deciding).
   * A call that takes its whole time is not repeated (Pathfinder: a sub-agent that timed out).
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
  /** Without a report in time the run fails without it, so that nobody waits. */
  reportFailure: { startToCloseTimeout: '60 seconds', ...BEATS, retry: FEW, ...FIRST },
  storeAnswer: BRIEF,
  readKeys: BRIEF,
  loadPages: BRIEF,
  /** Only the end of the run waits for this; without the store the run ends without it. */
  keepResults: { ...BRIEF, retry: FEW },
  /**
   * The run does nothing else meanwhile. Without the store or a free worker it continues in this history and tries
   * again later.
   */
  savePages: {
    ...BRIEF,
    retry: FEW,
    startToCloseTimeout: '10 seconds',
    /** Without a worker by then the run continues in this history. */
    scheduleToStartTimeout: '60 seconds',
  },
  lookAtAgents: { ...BRIEF, retry: FEW },
  readInbox: { ...BRIEF, retry: FEW },
} as const satisfies Partial<Record<keyof Activities, ActivityOptions>>;

interface More extends Pick<ActivityOptions, 'activityId'> {
  readonly retry?: RetryPolicy;
  /** The attempts before it was scheduled again; undefined the first time. */
  readonly before?: number | undefined;
}

function stub(name: keyof typeof OPTIONS) {
  const profile: ActivityOptions = OPTIONS[name];
  const { [name]: activity } = proxyActivities<Activities>(profile);
  return async (request: unknown, summary: string, { before, retry = profile.retry, ...more }: More = {}) => {
    const args = request === undefined ? [] : [checkSize(request)];
    const rest = Math.max(1, (retry?.maximumAttempts ?? 1) - (before ?? 0));
    const again = before !== undefined && TO_ANY_WORKER;
    const options = { summary, ...more, ...again, retry: { ...retry, maximumAttempts: rest } };
    const reply: unknown = await activity.executeWithOptions(options, args as never);
    if (isDeferral(reply)) throw new DeferredWork(reply);
    const problem = problemOf(REPLIES[name], reply);
    if (problem === undefined) return reply;
    throw unreadableReply(`the activity ${name} was completed with what is no reply; ${problem}`);
  };
}

/** The activities that are not nodes, by name, so that an editor finds each activity's row from its call. */
export const activities = Object.fromEntries(
  Object.keys(OPTIONS).map((name) => [name, stub(name as keyof typeof OPTIONS)]),
) as unknown as Stubs<Pick<Activities, keyof typeof OPTIONS>>;

export async function callCompilePlan(request: CompileRequest, summary: string, before?: number): Promise<Compiled> {
  const isFirst = request.base === undefined;
  const reply = await activities.compilePlan(request, summary, { before, ...(isFirst && { activityId: 'compile' }) });
  return reply.ok ? withSlice(request.chain, reply) : reply;
}

/** The slice of a reply: in the reply itself, or loaded from its pages. */
async function withSlice<Sent extends SentSlice>(
  chain: string,
  sent: Sent,
): Promise<Omit<Sent, 'pages'> & { slice: RunSlice }> {
  // The compiler cannot distinguish the two while the type is generic.
  if ('slice' in sent) return sent as Sent & { slice: RunSlice };
  const { pages, ...rest } = sent;
  const slice = await loadJson(chain, pages);
  const problem = problemOf(SLICE, slice);
  if (problem === undefined) return { ...rest, slice: slice as RunSlice };
  throw unreadableReply(`the pages of a plan are none; ${problem}`);
}

/** Runs one stage of the planner. */
export async function callPlanGoal(request: PlanningRequest, before?: number): Promise<Planned> {
  const { summary, retry } = PLANNING[request.stage];
  const { initialMs, factor, attempts } = retry;
  const more = { retry: { initialInterval: initialMs, backoffCoefficient: factor, maximumAttempts: attempts }, before };
  const { outcome, ...reply } = await activities.planGoal(request, summary, more);
  return { ...reply, outcome: outcome.is === 'compiled' ? await withSlice(request.chain, outcome) : outcome };
}

export async function callDecideStep(request: DecideRequest, before?: number): Promise<Decided> {
  const reply = await activities.decideStep(request, `Decide step ${request.round}`, { before });
  const { decision, project } = reply;
  // Only the first round reports the project. Without it the run would ask nobody.
  if (request.notes === undefined && project === undefined) {
    throw unreadableReply('the activity decideStep told nothing of the project in the first round');
  }
  if (decision.is !== 'step') return { ...reply, decision };
  return { ...reply, decision: await withSlice(request.chain, decision) };
}

/** Saves pages of at most 1 MiB of UTF-8 with an activity each, since one request may be too small for all. */
export async function callSavePages(chain: string, pages: readonly string[]): Promise<readonly string[]> {
  const saved = pages.map((page) => activities.savePages({ chain, pages: [page] }, 'Save what the run carries over'));
  return (await Promise.all(saved)).map(({ refs: [ref] }) => {
    if (ref === undefined) throw unreadableReply('the activity savePages has saved nothing');
    return ref;
  });
}

/** The JSON that the pages contain together. */
export async function loadJson(chain: string, refs: readonly string[]): Promise<unknown> {
  const loading = refs.map((ref) => activities.loadPages({ chain, ref }, 'Load what the run carries over'));
  const text = (await Promise.all(loading)).map(({ page }) => page).join('');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadableReply(`the activity loadPages was completed with what is no JSON; ${messageOf(error)}`);
  }
}

/** The failure of an activity as text for the sender of a message. */
export function failureReason(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return messageOf(cause);
}

function checkSize<T>(request: T): T {
  const bytes = new TextEncoder().encode(JSON.stringify(request)).length;
  if (bytes <= MAX_REQUEST_BYTES) return request;
  throw ApplicationFailure.nonRetryable(
    `$: it takes ${bytes} bytes with what belongs to it, and a run passes on ${MAX_REQUEST_BYTES} at most; put the plan into the result store and send its reference ("ref")`,
    'InvalidInput',
  );
}
