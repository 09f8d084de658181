/**
 * The inbox: messages are received in it and judged in order, so many in one turn. Most take effect at once; one that needs an
 * activity waits until there is room for that. A message leaves the inbox when it gets its reply.
 */

import type { Message, Request, Work } from '../work-state.ts';
import {
  given,
  isDeeperThan,
  isSigned,
  refuse,
  tokenProblem,
  type Malformed,
  type MessageArrival,
  type Refused,
  type Reply,
} from '../../../protocol/index.ts';
import { byteLength, visible } from '../../../plan/text/index.ts';
import type { Run } from '../in-memory.ts';
import { knowsKeys, note } from '../run.ts';
import type { WorkEnd } from '../work-end.ts';
import { begin } from '../work.ts';
import { MESSAGE_WORK, sum } from '../work-traits.ts';
import { applyRequest } from './apply.ts';
import { authenticate, claimsIn, claimsToStop, type Authenticated, type Verify } from './authenticate.ts';
import { judge } from './judge.ts';
import { KEPT, makeRoom, NO_ROOM, remember, replyTo, replyToSignature } from './past-replies.ts';
import { beginDefaults } from './questions.ts';

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
 * @bound messages that activities work for at once
 * @beyond the others wait in line
 */
const MAX_REQUESTS = 50;
/**
 * The most characters of JSON that are handed to activities in one turn; one more request may follow. The server takes 4
 * MiB in one call, and a run that sends more can do nothing else any more.
 */
const TURN_CHARACTERS = 500_000;

/**
 * An update that no worker was there to take was left as a signal too. Both name the update's id, and the one that
 * comes second is the first one again, even with other messages between them.
 * @returns the id of the message, under which it will be replied to
 */
export function receive(run: Run, { name, payload, at, update }: MessageArrival): number {
  const { dialogue, outbox } = run;
  const { inbox } = dialogue;
  const id = ++dialogue.messages;
  const before = replyTo(run, update);
  if (before !== undefined) {
    outbox.replies.push({ message: id, reply: before });
    return id;
  }
  const first = update === undefined ? undefined : inbox.find((one) => one.update === update);
  if (first !== undefined) return first.id;
  const read = isDeeperThan(MAX_LEVELS, payload) ? TOO_DEEP : payload;
  inbox.push({ id, name, payload: read, at, ...given({ update }), waitsFor: 'turn' });
  return id;
}

const TOO_DEEP: Malformed = {
  malformed: true,
  encoding: 'json/plain',
  reason: `it is nested more than ${MAX_LEVELS} levels deep; send a plan as text, or by "ref"`,
};

export function isUnheard({ waitsFor }: Message): boolean {
  return waitsFor === 'turn';
}

/** The refusal that this message would get now, without a trace; undefined also if others are judged before. */
export function preview(run: Run, message: MessageArrival, verify: Verify): Refused | undefined {
  const { payload, name, at, update } = message;
  const { inbox } = run.dialogue;
  // The reply of the first time is given again.
  if (update !== undefined && (replyTo(run, update) !== undefined || inbox.some((one) => one.update === update)))
    return undefined;
  if (inbox.some(isUnheard)) return isSigned(payload) ? tokenProblem(payload) : undefined;
  const sender = senderOf(run, message, verify);
  if (!sender.ok) return 'refusal' in sender ? sender : undefined;
  if (sender.signed !== undefined && replyToSignature(run, undefined, sender.signed.signature)) return undefined;
  const verdict = judge(run, name, sender, at);
  return verdict.ok ? undefined : verdict;
}

/** Judges what has come, in order. */
export function judgeMessages(run: Run, verify: Verify): void {
  const nodes = run.execution?.slice.inputs.length ?? 0;
  let cost = 0;
  for (const message of run.dialogue.inbox.filter(isUnheard)) {
    if (cost >= TURN) return;
    cost += 1 + nodes / NODES_PER_MESSAGE + Number(isSigned(message.payload));
    if (judgeNow(run, message, verify) !== undefined) wait(run, message, 'room');
  }
}

/**
 * Lets activities begin for those that wait for one, as far as there is room. A later message may have taken effect meanwhile, so each
 * is judged again.
 * @returns whether some could begin with the next workflow task
 */
export function beginRequests(run: Run, verify: Verify): boolean {
  const { dialogue, counts } = run;
  // If the run backs off, one of them is the next try.
  let room = (dialogue.backoff === undefined ? MAX_REQUESTS : 1) - sum(counts.all, MESSAGE_WORK);
  room -= beginDefaults(run, room);
  let characters = 0;
  for (const message of dialogue.inbox.filter(({ waitsFor }) => waitsFor === 'room')) {
    if (characters >= TURN_CHARACTERS) return true;
    if (room <= 0) return false;
    const request = judgeNow(run, message, verify);
    // The keys that are being read are for all; forged messages make no flood of activities.
    if (request === undefined || (request.do === 'keys' && counts.all.keys > 0)) continue;
    if (request.do === 'revise') dialogue.plannings += 1;
    message.waitsFor = 'activity';
    begin(run, { kind: 'message', message: message.id, request });
    characters += JSON.stringify(message.payload)?.length ?? 0;
    room -= 1;
  }
  return false;
}

/** The activity that worked for a message has ended. */
export function endRequest(
  run: Run,
  { message: id, request }: Extract<Work, { kind: 'message' }>,
  ended: WorkEnd,
  at: string,
  verify: Verify,
): void {
  const message = run.dialogue.inbox.find((one) => one.id === id);
  if (message === undefined) return;
  const outcome = applyRequest(run, message, request, ended, at);
  if (outcome === 'goes on') return;
  if (outcome === 'judge again') {
    if (judgeNow(run, message, verify) !== undefined) wait(run, message, 'room');
    return;
  }
  const sender = senderOf(run, message, verify);
  reply(run, message, outcome, sender.ok ? sender.payload : undefined);
}

/**
 * Judges a message by what holds now: it is refused, takes effect, or waits for the plan.
 * @returns the request to an activity that has to be met first; undefined if there is none
 */
function judgeNow(run: Run, message: Message, verify: Verify): Request | undefined {
  const { payload } = message;
  if (!knowsKeys(run) && isSigned(payload) && !claimsToStop(payload)) {
    // The run learns with the plan whose word counts.
    const problem = tokenProblem(payload);
    if (problem === undefined) wait(run, message, 'plan');
    else reply(run, message, problem);
    return undefined;
  }
  const sender = senderOf(run, message, verify);
  if (!sender.ok) {
    if (!('refusal' in sender)) return { do: 'keys' };
    reply(run, message, sender);
    return undefined;
  }
  const { signed } = sender;
  if (signed !== undefined) {
    const before = replyToSignature(run, message, signed.signature);
    if (before !== undefined) send(run, message, before);
    else if (!makeRoom(run.dialogue, 0) && !claimsToStop(payload)) reply(run, message, refuse('failed', NO_ROOM));
    else message.signed = signed;
    if (message.signed === undefined) return undefined;
  }
  const verdict = judge(run, message.name, sender, message.at);
  if (!verdict.ok) reply(run, message, verdict, sender.payload);
  else if ('request' in verdict) return verdict.request;
  else if ('apply' in verdict) reply(run, message, verdict.apply(), sender.payload);
  else wait(run, message, 'plan');
  return undefined;
}

/** Only a signature proves who sent a message. */
function senderOf(run: Run, { payload, at }: Pick<Message, 'payload' | 'at'>, verify: Verify): Authenticated {
  return isSigned(payload) ? authenticate(run, payload, at, verify) : { ok: true, payload, verified: false };
}

function wait(run: Run, message: Message, what: 'plan' | 'room'): void {
  if (message.bytes === undefined) {
    const bytes = byteLength(JSON.stringify(message));
    if (!makeRoom(run.dialogue, bytes) && !claimsToStop(message.payload)) {
      reply(run, message, refuse('failed', NO_ROOM));
      return;
    }
    message.bytes = bytes;
  }
  message.waitsFor = what;
  if (what === 'plan') run.outbox.replies.push({ message: message.id, reply: KEPT });
}

/** @param payload as its sender signed it */
function reply(run: Run, message: Message, answer: Reply, payload: unknown = message.payload): void {
  if (!answer.ok) {
    const { refusal, reason } = answer;
    note(run, message.at, 'refused', `${message.name}: ${reason}`, { refusal, ...claimsIn(payload) });
  }
  send(run, message, answer);
  run.isNews = true;
}

/** An update that is sent again, as a signal or to the next history, gets the same reply. */
function send(run: Run, message: Message, answer: Reply): void {
  const { dialogue, outbox } = run;
  const sent: Reply = answer.ok ? { ...answer, reply: visible(answer.reply, { lines: true }) } : answer;
  remember(run, message, sent);
  dialogue.inbox.splice(dialogue.inbox.indexOf(message), 1);
  outbox.replies.push({ message: message.id, reply: sent });
}
