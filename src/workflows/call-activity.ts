/** Calls the activities of a run that execute no nodes. They change no external system. */

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
  PLAN_SHAPE,
  type Activities,
  type CompileRequest,
  type Of,
  type DecideRequest,
  type PlanningRequest,
  type PlanShape,
  type SentPlanShape,
} from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import { DeferredTask, unreadableReply } from './failures.ts';
import type { Compiled, Decided, Planned } from './run/index.ts';

/** Maximum bytes of one activity request. The server ends a run that sends more than 2 MiB to an activity. */
const MAX_REQUEST_BYTES = 1_900_000;

// Activities have no total time limit (schedule-to-close), so that they wait until there is a worker.

/** Attempts of an activity, including the first. Capabilities have the same default. */
export const MAX_ATTEMPTS = 5;
/** Attempts of the activity that decides a step of a loop, including the first (as in Osprey). */
const DECIDING_ATTEMPTS = 4;
/** Attempts of activities whose failure the run survives, such as the failure report. */
const FEW_ATTEMPTS = 3;

/** Priority of activities that somebody waits for. Nodes in the same queue have priority 3. */
const FIRST = { priority: { priorityKey: 1 } };

/**
 * Options for an activity that a worker has deferred. By default the server prefers the worker that scheduled the
 * activity, which would defer it forever if its version is wrong.
 */
export const TO_ANY_WORKER = { allowEagerDispatch: false } as const;

const RETRY = { initialInterval: '1 second', backoffCoefficient: 4, maximumAttempts: MAX_ATTEMPTS } as const;
const FEW = { ...RETRY, maximumAttempts: FEW_ATTEMPTS } as const;
/** If no heartbeat comes for this long, the server starts the next attempt. A compile may block for seconds. */
const BEATS = { heartbeatTimeout: '5 seconds' } as const;

/** Options for activities that somebody waits for. Time without a worker does not count towards the time limit. */
const BRIEF = { startToCloseTimeout: '30 seconds', retry: RETRY, ...FIRST } as const;

/** Options for a model call. A config may allow an hour for a call; heartbeats show that the call is alive. */
const CALL = { startToCloseTimeout: '65 minutes', ...BEATS } as const;

/** @throws DeferredTask if a worker deferred the activity; ApplicationFailure if its reply is unreadable */
type Stubs<Called extends Partial<Activities>> = {
  readonly [Name in keyof Called]: (
    request: Of<(typeof REQUESTS)[Name & keyof Activities]>,
    summary: string,
    more?: More,
  ) => Promise<Of<(typeof REPLIES)[Name & keyof Activities]>>;
};

const OPTIONS = {
  /** A compile reads and writes the store. With 20,000 nodes it takes about a second. */
  compilePlan: { startToCloseTimeout: '5 minutes', ...BEATS, retry: RETRY, ...FIRST },
  /** If the store stays unavailable, the run ends without its receipt and says so. */
  writeReceipt: { startToCloseTimeout: '5 minutes', ...BEATS, retry: RETRY, ...FIRST },
  planGoal: { ...CALL, ...FIRST },
  /**
   * Calls the model once and compiles its decision, with as many attempts as the planner (as in Osprey). A call that
   * timed out is not repeated (as in Pathfinder).
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
  /** If the report takes longer, the run fails without it, since somebody waits for the failure. */
  reportFailure: { startToCloseTimeout: '60 seconds', ...BEATS, retry: FEW, ...FIRST },
  storeAnswer: BRIEF,
  readKeys: BRIEF,
  loadPages: BRIEF,
  keepResults: { ...BRIEF, retry: FEW },
  /** If the pages of the state cannot be stored, the run stays in its history and tries again later. */
  savePages: {
    ...BRIEF,
    retry: FEW,
    startToCloseTimeout: '10 seconds',
    scheduleToStartTimeout: '60 seconds',
  },
  lookAtAgents: { ...BRIEF, retry: FEW },
  readInbox: { ...BRIEF, retry: FEW },
} as const satisfies Partial<Record<keyof Activities, ActivityOptions>>;

interface More extends Pick<ActivityOptions, 'activityId'> {
  readonly retry?: RetryPolicy;
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
    if (isDeferral(reply)) throw new DeferredTask(reply);
    const problem = problemOf(REPLIES[name], reply);
    if (problem === undefined) return reply;
    throw unreadableReply(`the activity ${name} was completed with what is no reply; ${problem}`);
  };
}

export const activities = Object.fromEntries(
  Object.keys(OPTIONS).map((name) => [name, stub(name as keyof typeof OPTIONS)]),
) as unknown as Stubs<Pick<Activities, keyof typeof OPTIONS>>;

export async function callCompilePlan(request: CompileRequest, summary: string, before?: number): Promise<Compiled> {
  const isFirst = request.base === undefined;
  const reply = await activities.compilePlan(request, summary, { before, ...(isFirst && { activityId: 'compile' }) });
  return reply.ok ? withPlanShape(request.firstRunId, reply) : reply;
}

async function withPlanShape<Sent extends SentPlanShape>(
  firstRunId: string,
  sent: Sent,
): Promise<Omit<Sent, 'pages'> & { planShape: PlanShape }> {
  if ('planShape' in sent) return sent as Sent & { planShape: PlanShape };
  const { pages, ...rest } = sent;
  const planShape = await loadJson(firstRunId, pages);
  const problem = problemOf(PLAN_SHAPE, planShape);
  if (problem === undefined) return { ...rest, planShape: planShape as PlanShape };
  throw unreadableReply(`the pages of a plan are none; ${problem}`);
}

export async function callPlanGoal(request: PlanningRequest, before?: number): Promise<Planned> {
  const { summary, retry } = PLANNING[request.stage];
  const { initialMs, factor, attempts } = retry;
  const more = { retry: { initialInterval: initialMs, backoffCoefficient: factor, maximumAttempts: attempts }, before };
  const { outcome, ...reply } = await activities.planGoal(request, summary, more);
  return { ...reply, outcome: outcome.is === 'compiled' ? await withPlanShape(request.firstRunId, outcome) : outcome };
}

export async function callDecideStep(request: DecideRequest, before?: number): Promise<Decided> {
  const reply = await activities.decideStep(request, `Decide step ${request.round}`, { before });
  const { decision, project } = reply;
  // Only the first reply reports the project.
  // Without the project's approval rules, the run would ask nobody for approval.
  if (request.notes === undefined && project === undefined) {
    throw unreadableReply('the activity decideStep told nothing of the project in the first round');
  }
  if (decision.is !== 'step') return { ...reply, decision };
  return { ...reply, decision: await withPlanShape(request.firstRunId, decision) };
}

/** Saves each page (at most 1 MiB) by its own activity, since one request may not hold all pages. */
export async function callSavePages(firstRunId: string, pages: readonly string[]): Promise<readonly string[]> {
  const saved = pages.map((page) =>
    activities.savePages({ firstRunId, pages: [page] }, 'Save what the run carries over'),
  );
  return (await Promise.all(saved)).map(({ refs: [ref] }) => {
    if (ref === undefined) throw unreadableReply('the activity savePages has saved nothing');
    return ref;
  });
}

export async function loadJson(firstRunId: string, refs: readonly string[]): Promise<unknown> {
  const loading = refs.map((ref) => activities.loadPages({ firstRunId, ref }, 'Load what the run carries over'));
  const text = (await Promise.all(loading)).map(({ page }) => page).join('');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadableReply(`the activity loadPages was completed with what is no JSON; ${messageOf(error)}`);
  }
}

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
