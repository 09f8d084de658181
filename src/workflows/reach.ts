/**
 * The activities that a run reaches into the world with beside its nodes. None of them has an effect above read, and none
 * is local: docs/decisions/queries.md.
 */

import { ActivityFailure, ApplicationFailure, scheduleActivity } from '@temporalio/workflow';
import {
  ACTIVITIES,
  isRecord,
  PLANNING_RETRIES,
  type AnswerReply,
  type AnswerRequest,
  type CompileReply,
  type CompileRequest,
  type KeepRequest,
  type KeysReply,
  type DecideReply,
  type DecideRequest,
  type LoadReply,
  type PlanningReply,
  type PlanningRequest,
  type PlanningStage,
  type ReportReply,
  type ReportRequest,
  type RunSlice,
  type SaveReply,
  type SentSlice,
} from '../contract/index.ts';
import { messageOf } from '../text/index.ts';
import type { Compiled, Decided, Planned } from '../run/index.ts';

/** The server ends a run that hands more than 2 MiB to an activity. */
const MAX_REQUEST_BYTES = 1_900_000;

/** Somebody waits for these while nodes stand in the same queue; 3 is what others have. */
const FIRST = { priority: { priorityKey: 1 } };

/** Compiling reads the store and writes to it; 20,000 nodes take about a second. */
const COMPILE_BOUNDS = {
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 4, initialInterval: '2 seconds', backoffCoefficient: 2 },
  ...FIRST,
} as const;
/** A model may take minutes for a long plan, and beats while it writes. */
const PLANNING_BOUNDS = {
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 4 },
  ...FIRST,
} as const;
/** One call, and the compiling of what it decided. Attempts as the planner has them (Osprey: the retry policy of deciding). */
const DECIDE_BOUNDS = {
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 4, initialInterval: '2 seconds', backoffCoefficient: 2 },
} as const;
const REPORT_BOUNDS = {
  startToCloseTimeout: '60 seconds',
  scheduleToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 2, initialInterval: '1 second', backoffCoefficient: 2 },
  ...FIRST,
} as const;
/** Somebody waits for the answer; with no worker the message itself waits, not this. */
const BRIEF_BOUNDS = {
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '10 minutes',
  retry: { maximumAttempts: 4, initialInterval: '1 second', backoffCoefficient: 2 },
  ...FIRST,
} as const;
/** Nothing else happens meanwhile: where the store is away the run goes on in this history, and asks again later. */
const SAVE_BOUNDS = {
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '60 seconds',
  retry: { maximumAttempts: 3, initialInterval: '1 second', backoffCoefficient: 2 },
  ...FIRST,
} as const;
/** What a run needs to go on at all: a store that is away comes back. */
const PATIENT_BOUNDS = {
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '1 hour',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
  ...FIRST,
} as const;
export async function compilePlan(request: CompileRequest, summary: string): Promise<Compiled> {
  const activityId = request.base === undefined ? { activityId: 'compile' } : {};
  const options = { summary, ...activityId, ...COMPILE_BOUNDS };
  const reply: unknown = await scheduleActivity(ACTIVITIES.compile, [fitting(request)], options);
  if (!isCompileReply(reply)) throw notAReply(ACTIVITIES.compile);
  return reply.ok ? withSlice(reply) : reply;
}

/** A slice as a run works with it: out of the reply itself, or put together of its pages. */
async function withSlice<Sent extends SentSlice>(sent: Sent): Promise<Omit<Sent, 'pages'> & { slice: RunSlice }> {
  // The compiler does not tell the two kinds apart in a type that is not known yet.
  if ('slice' in sent) return sent as Sent & { slice: RunSlice };
  const { pages, ...rest } = sent;
  return { ...rest, slice: JSON.parse(await loadPages(pages)) as RunSlice };
}

/** One stage further from a goal to a plan. Each stage has the attempts that the source of its rule gives it. */
export async function planGoal(request: PlanningRequest): Promise<Planned> {
  const { attempts, initialMs, factor } = PLANNING_RETRIES[request.stage];
  const retry = { maximumAttempts: attempts, initialInterval: initialMs, backoffCoefficient: factor };
  const options = { summary: SUMMARIES[request.stage], ...PLANNING_BOUNDS, retry };
  const reply: unknown = await scheduleActivity(ACTIVITIES.plan, [fitting(request)], options);
  if (!isPlanningReply(reply)) throw notAReply(ACTIVITIES.plan);
  const { outcome } = reply;
  return { ...reply, outcome: outcome.is === 'compiled' ? await withSlice(outcome) : outcome };
}

const SUMMARIES: Record<PlanningStage, string> = {
  extract: 'What is the task?',
  route: 'How is it to be run?',
  select: 'Which capabilities does it take?',
  write: 'Write the plan',
  direct: 'A plan that answers directly',
  fallback: 'The fallback plan',
};

/** A call that takes its whole time is not made again (Pathfinder: a sub-agent that timed out). */
export async function decideStep(request: DecideRequest, round: number): Promise<Decided> {
  const summary = `Decide step ${round}`;
  const options = { summary, ...DECIDE_BOUNDS };
  const reply: unknown = await scheduleActivity(ACTIVITIES.decide, [fitting(request)], options);
  if (!isDecideReply(reply)) throw notAReply(ACTIVITIES.decide);
  const { decision } = reply;
  return { ...reply, decision: decision.is === 'step' ? await withSlice(decision) : decision };
}

function isDecideReply(reply: unknown): reply is DecideReply {
  if (!isRecord(reply) || !isRecord(reply['project']) || !isRecord(reply['usage'])) return false;
  return typeof reply['notes'] === 'string' && isRecord(reply['decision']);
}

/** Words are no reason to keep anybody waiting: what they cannot say in time is left unsaid. */
export async function reportFailure(request: ReportRequest): Promise<ReportReply> {
  const options = { summary: 'Say why the run failed', ...REPORT_BOUNDS };
  const reply: unknown = await scheduleActivity(ACTIVITIES.report, [fitting(request)], options);
  if (isRecord(reply) && typeof reply['report'] === 'string' && isRecord(reply['usage']))
    return reply as unknown as ReportReply;
  throw notAReply(ACTIVITIES.report);
}

/** @param title of the node that asks, at most 80 bytes */
export async function storeAnswer(request: AnswerRequest, title: string): Promise<AnswerReply> {
  const asks = request.nodeId === undefined ? 'the planner' : `${request.nodeId} (${title})`;
  const summary = `Check and store the answer to ${asks}`;
  const reply: unknown = await scheduleActivity(ACTIVITIES.store, [fitting(request)], { summary, ...BRIEF_BOUNDS });
  if (isRecord(reply) && (reply['ok'] === true ? isRecord(reply['handle']) : typeof reply['reason'] === 'string')) {
    return reply as unknown as AnswerReply;
  }
  throw notAReply(ACTIVITIES.store);
}

export async function readKeys(): Promise<KeysReply> {
  const options = { summary: "Read the project's public keys anew", ...BRIEF_BOUNDS };
  const reply: unknown = await scheduleActivity(ACTIVITIES.keys, [], options);
  if (isRecord(reply) && isRecord(reply['keys'])) return reply as unknown as KeysReply;
  throw notAReply(ACTIVITIES.keys);
}

/** Only the run's end waits for it: where the store is away it ends without. */
export async function keepResults(request: KeepRequest): Promise<void> {
  const options = { summary: 'Keep the results in the conversation', ...SAVE_BOUNDS };
  await scheduleActivity(ACTIVITIES.keep, [fitting(request)], options);
}

/** @param pages at most 1 MiB of UTF-8 each */
export async function savePages(pages: readonly string[]): Promise<readonly string[]> {
  const refs: string[] = [];
  for (const page of pages) {
    const options = { summary: 'Save what the run carries over', ...SAVE_BOUNDS };
    const reply = (await scheduleActivity(ACTIVITIES.save, [{ pages: [page] }], options)) as SaveReply;
    if (typeof reply?.refs?.[0] !== 'string') throw notAReply(ACTIVITIES.save);
    refs.push(reply.refs[0]);
  }
  return refs;
}

/** The text that the pages make up together. */
export async function loadPages(refs: readonly string[]): Promise<string> {
  let text = '';
  for (const ref of refs) {
    const options = { summary: 'Load what the run carries over', ...PATIENT_BOUNDS };
    const reply = (await scheduleActivity(ACTIVITIES.load, [{ ref }], options)) as LoadReply;
    if (typeof reply?.page !== 'string') throw notAReply(ACTIVITIES.load);
    text += reply.page;
  }
  return text;
}

/** What an activity's failure says to the sender of a message. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return messageOf(cause);
}

function isCompileReply(reply: unknown): reply is CompileReply {
  if (!isRecord(reply)) return false;
  if (reply['ok'] !== true) return Array.isArray(reply['issues']);
  return isRecord(reply['project']) && (isRecord(reply['slice']) || Array.isArray(reply['pages']));
}

function isPlanningReply(reply: unknown): reply is PlanningReply {
  if (!isRecord(reply) || !isRecord(reply['project']) || !isRecord(reply['usage'])) return false;
  return typeof reply['notes'] === 'string' && isRecord(reply['outcome']);
}

function fitting<T>(request: T): T {
  const bytes = new TextEncoder().encode(JSON.stringify(request)).length;
  if (bytes <= MAX_REQUEST_BYTES) return request;
  throw ApplicationFailure.nonRetryable(
    `$: it takes ${bytes} bytes with what belongs to it, and a run passes on ${MAX_REQUEST_BYTES} at most; put the plan into the result store and send its reference ("ref")`,
    'InvalidInput',
  );
}

/** An activity can be completed from outside, with anything. */
function notAReply(activity: string): TypeError {
  return new TypeError(`the activity ${activity} was completed with what is no reply`);
}
