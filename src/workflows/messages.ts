/**
 * The messages that a run accepts. They are registered before the first await. No signal handler throws, whatever
 * arrives.
 */

import { HandlerUnfinishedPolicy } from '@temporalio/common';
import {
  currentUpdateInfo,
  defineQuery,
  defineSignal,
  defineUpdate,
  setDefaultSignalHandler,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  BETWEEN_HISTORIES,
  WAITS_BETWEEN,
  given,
  isMalformed,
  MESSAGE_NAMES,
  MESSAGES,
  problemOf,
  QUERIES,
  refuse,
  type MayBeginReply,
  type MessageName,
  type PageRequest,
  type OwnPart,
  type QueryName,
  type Refused,
  type Reply,
  type ViewRequest,
  VIEW_REQUEST,
} from '../protocol/index.ts';
import { mayBegin, proofOf, replyTo, viewOf, type ReadonlyRun } from './run/index.ts';
import { inClear } from './failure-converter.js';
import { toApplicationFailure } from './failures.ts';
import { now } from './now.ts';
import type { Mailbox } from './mailbox.ts';

const ANSWERS: Record<QueryName, (run: ReadonlyRun, page: PageRequest) => unknown> = {
  view: (run, request) => viewOf(run, readable(request)),
  status: partOf('status'),
  plan: partOf('plan'),
  nodes: partOf('nodes'),
  trace: partOf('trace'),
  questions: partOf('questions'),
  mayBegin: (run, { work }) => wordOn(run, work),
  reply: (run, { update }) => (typeof update === 'string' ? (replyTo(run, update) ?? null) : null),
};

/** The query for a single part of the view. */
function partOf(part: OwnPart): (run: ReadonlyRun, page: PageRequest) => unknown {
  return (run, page) => viewOf(run, { parts: [part], [part]: page })[part];
}

/** A continue-as-new does not lose the message of a waiting handler: the message goes to the next history. */
const unfinishedPolicy = HandlerUnfinishedPolicy.ABANDON;

export interface Hearing {
  /** The run as it is now; undefined while its state is loaded. */
  readonly run: () => ReadonlyRun | undefined;
  /** What the load waits for, in words. */
  readonly waits: () => string | undefined;
  /** The rejection that a message would get now. */
  readonly preview: (name: MessageName, payload: unknown, update: string | undefined) => Refused | undefined;
}

export function handleMessages(mailbox: Mailbox, { run, waits, preview }: Hearing): void {
  for (const name of MESSAGE_NAMES) {
    const description = MESSAGES[name];
    const signal = (payload: unknown, update?: unknown) =>
      mailbox.receiveSignal({ name, payload, at: now(), ...updateNamed(update) });
    setHandler(defineSignal<[unknown, unknown?]>(name), signal, { description, unfinishedPolicy });
    const update = async (payload: unknown) =>
      taken(await mailbox.receiveUpdate({ name, payload, at: now(), update: currentUpdateInfo()?.id ?? '' }));
    setHandler(defineUpdate<Reply, [unknown]>(name), update, {
      validator: (payload) =>
        refuseAtOnce(malformedProblem(payload) ?? preview(name, payload, currentUpdateInfo()?.id)),
      description: `${description}. Says at once whether it is taken and, if not, why.`,
      unfinishedPolicy,
    });
  }
  setDefaultSignalHandler((name) => mailbox.receiveSignal({ is: 'unknown', name, at: now() }));
  for (const name of Object.keys(QUERIES) as QueryName[]) {
    const query = defineQuery<unknown, [PageRequest?]>(name);
    setHandler(query, (page) => ANSWERS[name](present(run(), waits()), pageOf(page)), { description: QUERIES[name] });
  }
}

/** The second argument of a signal. A value that is not an id is ignored, since no signal is rejected for it. */
function updateNamed(update: unknown): { readonly update?: string } {
  return typeof update === 'string' && update !== '' && problemOf('name', update) === undefined ? { update } : {};
}

function wordOn(run: ReadonlyRun, work: unknown): MayBeginReply {
  const asked: unknown[] = Array.isArray(work) ? work : [];
  const words = asked.map((id) => {
    const permission = mayBegin(run, id);
    return permission.ok ? null : permission.reason;
  });
  const { workflowId } = workflowInfo().parent ?? {};
  const { key } = run.dialogue.parent ?? {};
  const parent = workflowId !== undefined && key !== undefined ? { workflowId, key } : undefined;
  if (run.dialogue.project.keys === undefined) return { words, ...given({ parent }) };
  const proofs = asked.map((id) => proofOf(run, id));
  const tokens = [...new Set(proofs.flat())];
  const places = new Map(tokens.map((token, place) => [token, place]));
  return {
    words,
    tokens,
    proofs: proofs.map((some) => some.map((token) => places.get(token) ?? 0)),
    ...given({ parent }),
  };
}

function readable(request: object): ViewRequest {
  const message = problemOf(VIEW_REQUEST, request);
  if (message === undefined) return request;
  throw inClear(toApplicationFailure({ type: 'InvalidInput', message, details: [] }));
}

function present(run: ReadonlyRun | undefined, waits: string = BETWEEN_HISTORIES): ReadonlyRun {
  if (run !== undefined) return run;
  const failure = toApplicationFailure({ type: 'RETRIABLE', message: waits, details: [] });
  throw inClear(failure, waits === BETWEEN_HISTORIES ? waits : WAITS_BETWEEN);
}

function pageOf(page: PageRequest | undefined): PageRequest {
  return typeof page === 'object' ? (page ?? {}) : {};
}

/** Rejects a message that cannot be read before anything waits for it. */
function malformedProblem(payload: unknown): Refused | undefined {
  return isMalformed(payload) ? refuse('malformed', payload.reason) : undefined;
}

/** Throws in a validator: the sender gets the answer, and the history no event. */
function refuseAtOnce(refused: Refused | undefined): void {
  if (refused !== undefined) throw refusalOf(refused);
}

/** A rejected update fails, so that its sender sees the reason instead of a dialog that closes. The run continues. */
function taken(reply: Reply): Reply {
  if (reply.ok) return reply;
  throw refusalOf(reply);
}

function refusalOf({ reason: message, refusal, issues }: Exclude<Reply, { ok: true }>): Error {
  const details = [{ refusal, ...(issues !== undefined && { issues }) }];
  return toApplicationFailure({ type: 'InvalidInput', message, details });
}
