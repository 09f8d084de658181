/**
 * The mailbox: messages arrive in it and are looked at in order, so many in one turn. Most take effect at once; one
 * that needs an activity stands in line until there is room for it.
 */

import { own } from '../records.ts';
import type { Dialogue } from '../state.ts';
import type { Request, Message } from '../work-state.ts';
import {
  isDeeperThan,
  isRecord,
  refuse,
  type Malformed,
  type MessageArrival,
  type Refused,
  type Reply,
  isSigned,
  tokenProblem,
} from '../../../protocol/index.ts';
import { cutCharacters, visible } from '../../../plan/text/index.ts';
import { knowsKeys, note } from '../run.ts';
import type { Run } from '../in-memory.ts';
import { authenticate, claimsToStop, type Authenticated, type Verify } from './authenticate.ts';
import { judge } from './judge.ts';

/**
 * Levels of objects and lists in a message.
 * @bound levels of a message
 * @beyond `malformed`
 */
const MAX_LEVELS = 1000;
/**
 * The most that a turn may cost, in messages about a small plan; a signature and each 500 nodes count as one more.
 * @bound messages looked at in one turn
 * @beyond the others wait for the next turn
 */
const TURN = 200;
const NODES_PER_MESSAGE = 500;
/**
 * Updates that wait to be looked at; a signal is never refused for this.
 * @bound updates that wait to be looked at
 * @beyond an update is `failed`; a signal never is
 */
const MAX_UPDATES = 1000;
/**
 * @bound decisions kept until there is a plan
 * @beyond `early`
 */
const MAX_EARLY = 100;
/**
 * The most replies to updates that are remembered: an update that is sent again comes within minutes.
 * @bound answers to updates that are remembered
 * @beyond the oldest is forgotten; sent again, it is judged anew. Signals that name an update count
 */
const UPDATES_KEPT = 1000;
/** The claims of a refused message are cut off after so many characters. */
const MAX_CLAIM = 200;

/**
 * An update that no worker was there to take was left as a signal too. Both name the update's id, and the one that
 * comes second is the first one again, even with other messages between them.
 * @returns the id of the message, under which it will be replied to
 */
export function receive(run: Run, { isSignal, ...arrival }: MessageArrival): number {
  const { dialogue, unanswered } = run;
  const { update } = arrival;
  const id = ++dialogue.messages;
  const before = replyTo(dialogue, update);
  if (before !== undefined) {
    run.outbox.replies.push({ message: id, reply: before });
    return id;
  }
  const waiting = update === undefined ? undefined : unanswered.get(update);
  if (waiting !== undefined) return waiting;
  if (isSignal !== true && update !== undefined && dialogue.mailbox.length >= MAX_UPDATES) {
    const reason = `${dialogue.mailbox.length} messages wait to be heard already; send it again later, or as a signal`;
    run.outbox.replies.push({ message: id, reply: refuse('failed', reason) });
    return id;
  }
  const payload = isDeeperThan(MAX_LEVELS, arrival.payload) ? TOO_DEEP : arrival.payload;
  dialogue.mailbox.push({ id, ...arrival, payload });
  if (update !== undefined) unanswered.set(update, id);
  return id;
}

const TOO_DEEP: Malformed = {
  malformed: true,
  encoding: 'json/plain',
  reason: `it is nested more than ${MAX_LEVELS} levels deep; send a plan as text, or by "ref"`,
};

/**
 * The refusal that this message would get now; the question leaves no trace. Undefined also where others are heard
 * before.
 */
export function preview(run: Run, message: Message, verify: Verify): Refused | undefined {
  const { payload, name, at, update } = message;
  // The reply of the first time is given again.
  if (update !== undefined && (replyTo(run.dialogue, update) ?? run.unanswered.get(update)) !== undefined)
    return undefined;
  if (run.dialogue.mailbox.length > 0) return isSigned(payload) ? tokenProblem(payload) : undefined;
  const sender = authenticate(run, message, verify);
  if (!sender.ok) return 'refusal' in sender ? sender : undefined;
  if (sender.signature !== undefined && own(run.dialogue.tokens, sender.signature) !== undefined) return undefined;
  const verdict = judge(run, name, sender, at);
  return verdict.ok ? undefined : verdict;
}

/** Looks at what has arrived, in order. */
export function listen(run: Run, verify: Verify): void {
  const { mailbox } = run.dialogue;
  const nodes = run.execution?.slice.inputs.length ?? 0;
  let taken = 0;
  for (let cost = 0; cost < TURN && taken < mailbox.length; taken += 1) {
    const message = mailbox[taken] as Message;
    cost += 1 + nodes / NODES_PER_MESSAGE + Number(isSigned(message.payload));
    hear(run, message, verify);
  }
  if (taken > 0) run.dialogue.mailbox = mailbox.slice(taken);
}

/** Replies to a message, and keeps what was replied where it may be asked for again. */
export function answer(run: Run, message: Message, reply: Reply, sender?: Authenticated): void {
  const { dialogue } = run;
  const { name, payload, at } = message;
  const signed = sender?.ok === true ? sender : undefined;
  if (!reply.ok) {
    note(run, at, 'refused', `${name}: ${reply.reason}`, {
      refusal: reply.refusal,
      ...claimedBy(signed?.payload ?? payload),
    });
  }
  if (signed?.signature !== undefined) {
    // A message that failed for want of a store or a worker is sent again, with the same token.
    if (!reply.ok && reply.refusal === 'failed') delete dialogue.tokens[signed.signature];
    else dialogue.tokens[signed.signature] = { reply, until: signed.until ?? 0 };
  }
  tell(run, message, reply);
  run.isNews = true;
}

/** An update that is sent again, as a signal or to the next history, is told the same. */
function tell({ dialogue: { updates }, unanswered, outbox }: Run, { id, update }: Message, told: Reply): void {
  const reply: Reply = told.ok ? { ...told, reply: visible(told.reply, { lines: true }) } : told;
  if (update !== undefined) {
    if (updates.push({ update, reply }) > UPDATES_KEPT) updates.shift();
    unanswered.delete(update);
  }
  outbox.replies.push({ message: id, reply });
}

/** What was replied to an update of this id. */
export function replyTo({ updates }: Pick<Dialogue, 'updates'>, update: string | undefined): Reply | undefined {
  return update === undefined ? undefined : updates.findLast((one) => one.update === update)?.reply;
}

/** Hears a message: for the first time, or again, now that the keys to check it were read. */
export function hear(run: Run, message: Message, verify: Verify): void {
  const { dialogue } = run;
  if (!knowsKeys(run) && isSigned(message.payload) && !claimsToStop(message.payload)) {
    // The run learns with the plan whose word counts.
    const problem = tokenProblem(message.payload);
    if (problem === undefined) keep(run, message);
    else answer(run, message, problem);
    return;
  }
  const sender = authenticate(run, message, verify);
  const signature = sender.ok ? sender.signature : undefined;
  const before = signature === undefined ? undefined : own(dialogue.tokens, signature);
  if (before !== undefined) {
    tell(run, message, before.reply);
    return;
  }
  if (settle(run, message, sender) === undefined) return;
  if (sender.ok && signature !== undefined) {
    dialogue.tokens[signature] = { reply: HEARD_ALREADY, until: sender.until ?? 0 };
  }
  dialogue.queue.push({ for: 'message', message });
}

/**
 * The turn of a message that stood in line. A later decision may have taken effect meanwhile, so that it is judged by
 * what holds now.
 * @returns the request to an activity that has to be met first; undefined once it is replied to
 */
export function hearInTurn(run: Run, message: Message, verify: Verify): Request | undefined {
  return settle(run, message, authenticate(run, message, verify));
}

/** Judges a message, and lets it take effect at once where it can. */
function settle(run: Run, message: Message, sender: Authenticated): Request | undefined {
  if (!sender.ok) {
    if (!('refusal' in sender)) return { do: 'keys' };
    answer(run, message, sender);
    return undefined;
  }
  const verdict = judge(run, message.name, sender, message.at);
  if (!verdict.ok) answer(run, message, verdict, sender);
  else if ('request' in verdict) return verdict.request;
  else if ('keep' in verdict) keep(run, message);
  else answer(run, message, verdict.take(), sender);
  return undefined;
}

/** A signed message is one message, however often it arrives: said again, it is answered as it was and does nothing. */
const HEARD_ALREADY: Reply = { ok: true, reply: 'this signed message was heard already' };

function keep(run: Run, message: Message): void {
  const { early } = run.dialogue;
  if (early.length >= MAX_EARLY) {
    answer(run, message, refuse('early', 'the plan is not compiled yet, and too many decisions already wait for it'));
    return;
  }
  early.push(message);
  tell(run, message, { ok: true, reply: 'kept until the plan is compiled', kept: true });
}

function claimedBy(payload: unknown): Record<string, string> {
  const claims: Record<string, string> = {};
  if (!isRecord(payload)) return claims;
  for (const key of ['by', 'role', 'kind', 'digest', 'question', 'action', 'node']) {
    const value = payload[key];
    if (typeof value === 'string') claims[key] = cutCharacters(value, MAX_CLAIM);
  }
  return claims;
}
