/** The activities that a run reaches into the world with beside its nodes. None of them has an effect above read. */

import { ActivityFailure, scheduleActivity } from '@temporalio/workflow';
import type {
  AnswerReply,
  AnswerRequest,
  CompileReply,
  CompileRequest,
  VerifyReply,
  VerifyRequest,
} from '../activities/index.ts';
import { ANSWER_ACTIVITY, COMPILE_ACTIVITY, isRecord, VERIFY_ACTIVITY } from '../run/index.ts';

/** The server ends a run that hands more than 2 MiB to an activity. */
const MAX_REQUEST_BYTES = 1_900_000;

/** Compiling reads the store and writes to it; 10,000 nodes take well under a second. */
const COMPILE_BOUNDS = {
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 4, initialInterval: '2 seconds', backoffCoefficient: 2 },
} as const;
/** Somebody waits for the answer; with no worker the message itself waits, not this. */
const BRIEF_BOUNDS = {
  startToCloseTimeout: '30 seconds',
  scheduleToCloseTimeout: '10 minutes',
  retry: { maximumAttempts: 4, initialInterval: '1 second', backoffCoefficient: 2 },
} as const;

export async function compilePlan(request: CompileRequest, summary = 'Compile the plan'): Promise<CompileReply> {
  const activityId = request.base === undefined ? { activityId: 'compile' } : {};
  const options = { summary, ...activityId, ...COMPILE_BOUNDS };
  const reply: unknown = await scheduleActivity(COMPILE_ACTIVITY, [fitting(request)], options);
  if (isRecord(reply) && (reply['ok'] === true ? isRecord(reply['slice']) : Array.isArray(reply['issues']))) {
    return reply as unknown as CompileReply;
  }
  throw notAReply(COMPILE_ACTIVITY);
}

export async function storeAnswer(request: AnswerRequest): Promise<AnswerReply> {
  const options = { summary: `Check and store the answer to ${request.nodeId}`, ...BRIEF_BOUNDS };
  const reply: unknown = await scheduleActivity(ANSWER_ACTIVITY, [fitting(request)], options);
  if (isRecord(reply) && (reply['ok'] === true ? isRecord(reply['handle']) : typeof reply['reason'] === 'string')) {
    return reply as unknown as AnswerReply;
  }
  throw notAReply(ANSWER_ACTIVITY);
}

export async function verifyMessage(request: VerifyRequest): Promise<VerifyReply> {
  const options = { summary: 'Verify who says it', ...BRIEF_BOUNDS };
  const reply: unknown = await scheduleActivity(VERIFY_ACTIVITY, [fitting(request)], options);
  if (isRecord(reply) && (reply['ok'] === true ? isRecord(reply['message']) : typeof reply['reason'] === 'string')) {
    return reply as unknown as VerifyReply;
  }
  throw notAReply(VERIFY_ACTIVITY);
}

/** What an activity's failure says to the sender of a message. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}

function fitting<T>(request: T): T {
  const bytes = new TextEncoder().encode(JSON.stringify(request)).length;
  if (bytes <= MAX_REQUEST_BYTES) return request;
  throw new RangeError(
    `it takes ${bytes} bytes with what belongs to it, and a run passes on ${MAX_REQUEST_BYTES} at most; put the plan into the result store and send its reference ("ref")`,
  );
}

/** An activity can be completed from outside, with anything. */
function notAReply(activity: string): TypeError {
  return new TypeError(`the activity ${activity} was completed with what is no reply`);
}
