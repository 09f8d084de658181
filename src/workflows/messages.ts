/** The words a run understands. Registered before the first await; no signal handler throws, whatever arrives. */

import { HandlerUnfinishedPolicy } from '@temporalio/common';
import {
  currentUpdateInfo,
  defineQuery,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
} from '@temporalio/workflow';
import {
  BETWEEN_HISTORIES,
  isDeeperThan,
  MESSAGE_NAMES,
  MESSAGES,
  QUERIES,
  refuse,
  UPDATE_NAMES,
  type MayBeginReply,
  type MessageName,
  type PageRequest,
  type QueryName,
  type Refused,
  type Reply,
} from '../contract/index.ts';
import { mayBegin, nodesOf, proofOf, planOf, questionsOf, statusOf, traceOf, type Run } from '../run/index.ts';
import { toApplicationFailure } from './failures.ts';
import type { Post } from './post.ts';

const ANSWERS: Record<QueryName, (run: Run, page: PageRequest) => unknown> = {
  status: statusOf,
  plan: planOf,
  nodes: nodesOf,
  trace: (run, page) => traceOf(run.dialogue.trace, page),
  questions: questionsOf,
  mayBegin: (run, { work }) => wordOn(run, work),
  reply: ({ dialogue: { updates } }, { update }) => updates.get(String(update)) ?? null,
};

/** A handler that waits when the run goes on in a new history is not forgotten there: its message is carried over. */
const unfinishedPolicy = HandlerUnfinishedPolicy.ABANDON;

export interface Hearing {
  /** The run as it is now; undefined while it is taken up from the history before. */
  readonly run: () => Run | undefined;
  /** What would be refused now. */
  readonly preview: (name: MessageName, payload: unknown) => Refused | undefined;
  /** A signal that nobody knows. */
  readonly unknown: (name: string) => void;
}

export function handleMessages(post: Post, { run, preview, unknown }: Hearing): void {
  for (const name of MESSAGE_NAMES) {
    const { description } = MESSAGES[name];
    setHandler(defineSignal<[unknown]>(name), (payload) => post.drop(name, payload), {
      description,
      unfinishedPolicy,
    });
  }
  for (const name of UPDATE_NAMES) {
    const say = async (payload: unknown) => taken(await post.say(name, payload, currentUpdateInfo()?.id ?? ''));
    setHandler(defineUpdate<Reply, [unknown]>(name), say, {
      validator: (...payloads: [unknown]) => refuseAtOnce(sizeProblem(payloads) ?? preview(name, payloads[0])),
      description: `${MESSAGES[name].description}. Says at once whether it is taken and, if not, why.`,
      unfinishedPolicy,
    });
  }
  setDefaultSignalHandler((name) => {
    post.signals += 1;
    unknown(name);
  });
  for (const name of Object.keys(QUERIES) as QueryName[]) {
    const query = defineQuery<unknown, [PageRequest?]>(name);
    setHandler(query, (page) => ANSWERS[name](present(run()), pageOf(page)), { description: QUERIES[name] });
  }
}

function wordOn(run: Run, work: unknown): MayBeginReply {
  const asked: unknown[] = Array.isArray(work) ? work : [];
  const words = asked.map((id) => {
    const permission = mayBegin(run, id);
    return permission.ok ? null : permission.reason;
  });
  if (run.dialogue.project.keys === undefined) return { words };
  const given = asked.map((id) => proofOf(run, id));
  const tokens = [...new Set(given.flat())];
  const places = new Map(tokens.map((token, place) => [token, place]));
  return { words, tokens, proofs: given.map((some) => some.map((token) => places.get(token) ?? 0)) };
}

function present(run: Run | undefined): Run {
  if (run !== undefined) return run;
  throw toApplicationFailure({ type: 'RETRIABLE', message: BETWEEN_HISTORIES, details: [] });
}

function pageOf(page: PageRequest | undefined): PageRequest {
  return typeof page === 'object' ? (page ?? {}) : {};
}

/**
 * An update that is taken is sent back with the workflow task, and the server takes 4 MiB in one call: more at once than that
 * would fail the task for ever. It lets 10 updates in at a time (`history.maxInFlightUpdates`).
 */
const MAX_UPDATE_BYTES = 256 * 1024;
const MAX_LEVELS = 1000;

function sizeProblem(payloads: readonly unknown[]): Refused | undefined {
  // What is nested deeper cannot be written, and is refused for that.
  if (isDeeperThan(MAX_LEVELS, payloads)) return undefined;
  const bytes = new TextEncoder().encode(JSON.stringify(payloads)).length;
  if (bytes <= MAX_UPDATE_BYTES) return undefined;
  return refuse(
    'malformed',
    `an update takes at most ${MAX_UPDATE_BYTES} bytes as JSON, this one ${bytes}; put a plan into the result store and send its "ref", or send it as a signal`,
  );
}

/** Thrown in a validator, it answers the sender and leaves no event. */
function refuseAtOnce(refused: Refused | undefined): void {
  if (refused !== undefined) throw refusalOf(refused);
}

/** A refused update fails, so that whoever sends it sees the reason in place of a dialog that closes. The run goes on. */
function taken(reply: Reply): Reply {
  if (reply.ok) return reply;
  throw refusalOf(reply);
}

function refusalOf({ reason: message, refusal, issues }: Exclude<Reply, { ok: true }>): Error {
  const details = [{ refusal, ...(issues !== undefined && { issues }) }];
  return toApplicationFailure({ type: 'InvalidInput', message, details });
}
