/** The activities that a run reaches into the world with beside its nodes. None of them has an effect above read. */

import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  scheduleActivity,
  scheduleLocalActivity,
} from '@temporalio/workflow';
import {
  ACTIVITIES,
  isRecord,
  type AnswerReply,
  type AnswerRequest,
  type CompileReply,
  type CompileRequest,
  type KeysReply,
  type LoadReply,
  type RunSlice,
  type SaveReply,
} from '../contract/index.ts';
import { messageOf } from '../text/index.ts';
import type { Compiled } from '../run/index.ts';

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
  scheduleToCloseTimeout: '20 seconds',
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
/**
 * Done by the worker that has the run, without the queue. While it lasts the workflow task is open and nothing is heard,
 * so it has one attempt of one second, and a regular activity follows where that was not enough.
 */
const LOCAL_BOUNDS = {
  startToCloseTimeout: '1 second',
  scheduleToStartTimeout: '1 second',
  retry: { maximumAttempts: 1 },
} as const;

export async function compilePlan(request: CompileRequest, summary: string): Promise<Compiled> {
  const activityId = request.base === undefined ? { activityId: 'compile' } : {};
  const options = { summary, ...activityId, ...COMPILE_BOUNDS };
  const reply: unknown = await scheduleActivity(ACTIVITIES.compile, [fitting(request)], options);
  if (!isCompileReply(reply)) throw notAReply(ACTIVITIES.compile);
  if (!reply.ok || 'slice' in reply) return reply;
  const { pages, ...rest } = reply;
  return { ...rest, slice: JSON.parse(await loadPages(pages)) as RunSlice };
}

export async function storeAnswer(request: AnswerRequest): Promise<AnswerReply> {
  const summary = `Check and store the answer to ${request.nodeId}`;
  const reply: unknown = await quickly(ACTIVITIES.store, fitting(request), { summary, ...BRIEF_BOUNDS });
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

/** @param pages at most 1 MiB of UTF-8 each */
export async function savePages(pages: readonly string[]): Promise<readonly string[]> {
  const refs: string[] = [];
  for (const page of pages) {
    const options = { summary: 'Save what the run carries over', ...SAVE_BOUNDS };
    const reply = (await quickly(ACTIVITIES.save, { pages: [page] }, options)) as SaveReply;
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
    const reply = (await quickly(ACTIVITIES.load, { ref }, options)) as LoadReply;
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

/**
 * Local activities, one after another. Those that run side by side come back one by one, and in a replay together: what
 * the run does in between, which has an order, would not replay. Of this workflow alone: the SDK loads this module anew
 * for each.
 */
let lane: Promise<unknown> = Promise.resolve();

/** At once where the worker can; else as any other activity, which outlasts what is wrong for a while. */
async function quickly(
  type: string,
  request: object,
  options: Parameters<typeof scheduleActivity>[2],
): Promise<unknown> {
  const before = lane;
  let leave: () => void = () => undefined;
  lane = new Promise<void>((resolve) => {
    leave = resolve;
  });
  try {
    await before;
    return await scheduleLocalActivity(type, [request], LOCAL_BOUNDS);
  } catch (error) {
    // Cancelled with whatever it was for, or nothing that another attempt could cure.
    if (isCancellation(error) || (error instanceof ApplicationFailure && error.nonRetryable === true)) throw error;
  } finally {
    leave();
  }
  return scheduleActivity(type, [request], options);
}

function isCompileReply(reply: unknown): reply is CompileReply {
  if (!isRecord(reply)) return false;
  if (reply['ok'] !== true) return Array.isArray(reply['issues']);
  return isRecord(reply['project']) && (isRecord(reply['slice']) || Array.isArray(reply['pages']));
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
