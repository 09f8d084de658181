/**
 * Receives messages and judges them in order, up to a limit per turn. Most take effect at once; others need an activity
 * first. A message leaves the inbox when its reply is sent.
 */

import type { Message, Request, PendingTask, RunState } from '../state.ts';
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
import { byteLength, visible, cutCharacters } from '../../../plan/text/index.ts';
import type { Run } from '../in-memory.ts';
import { knowsKeys, note } from '../run.ts';
import { type TaskEnd, MESSAGE_TASKS, sum } from '../task-traits.ts';
import { beginTask } from '../tasks.ts';
import { applyRequest } from './apply.ts';
import { authenticate, claimsIn, claimsToStop, type Authenticated, type Verify } from './authenticate.ts';
import { judge } from './judge.ts';
import { beginDefaults } from './questions.ts';
import { readOwn } from '../records.ts';

/** Maximum levels of objects and lists in a message. Deeper messages are `malformed`. */
const MAX_LEVELS = 1000;
/** Maximum number of messages that one turn judges. A verified signature counts as one message, as do 500 nodes. */
const TURN = 200;
const NODES_PER_MESSAGE = 500;
/** Maximum number of activities at once that serve messages. Other messages wait. */
const MAX_REQUESTS = 50;
/** Maximum characters (of JSON) of one turn's requests. The server rejects workflow tasks above 4 MiB. */
const TURN_CHARACTERS = 500_000;

/**
 * Receives a message. If no worker takes an update, the client repeats it as a signal with the same id. Both count as
 * one message.
 * @returns the id of the message and its reply
 */
export function receive(run: Run, { name, payload, at, update }: MessageArrival): number {
  const { state, outbox } = run;
  const { inbox } = state;
  const id = ++state.messages;
  const before = replyToUpdate(run, update);
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

export function isUnread({ waitsFor }: Message): boolean {
  return waitsFor === 'turn';
}

/** The rejection that this message would get now; undefined if it would not be rejected or must wait for others. */
export function previewRefusal(run: Run, message: MessageArrival, verify: Verify): Refused | undefined {
  const { payload, name, at, update } = message;
  const { inbox } = run.state;
  if (update !== undefined && (replyToUpdate(run, update) !== undefined || inbox.some((one) => one.update === update)))
    return undefined;
  if (inbox.some(isUnread)) return isSigned(payload) ? tokenProblem(payload) : undefined;
  const sender = senderOf(run, message, verify);
  if (!sender.ok) return 'refusal' in sender ? sender : undefined;
  if (sender.signed !== undefined && replyToSignature(run, undefined, sender.signed.signature)) return undefined;
  const verdict = judge(run, name, sender, at);
  return verdict.ok ? undefined : verdict;
}

export function judgeMessages(run: Run, verify: Verify): void {
  const nodes = run.execution?.planShape.inputs.length ?? 0;
  let cost = 0;
  for (const message of run.state.inbox.filter(isUnread)) {
    if (cost >= TURN) return;
    cost += 1 + nodes / NODES_PER_MESSAGE + Number(isSigned(message.payload));
    if (judgeNow(run, message, verify) !== undefined) wait(run, message, 'room');
  }
}

/**
 * Starts activities for waiting messages, up to `MAX_REQUESTS`. Judges each message again first.
 * @returns whether more can start with the next workflow task
 */
export function beginRequests(run: Run, verify: Verify): boolean {
  const { state, counts } = run;
  // While the run backs off, only one activity starts, as the next try.
  let room = (state.backoff === undefined ? MAX_REQUESTS : 1) - sum(counts.all, MESSAGE_TASKS);
  if (state.defaults.length > 0) room -= beginDefaults(run, room);
  let characters = 0;
  for (const message of state.inbox.filter(({ waitsFor }) => waitsFor === 'room')) {
    if (characters >= TURN_CHARACTERS) return true;
    if (room <= 0) return false;
    const request = judgeNow(run, message, verify);
    // One activity reads the keys for all messages, so forged messages cannot cause a flood of activities.
    if (request === undefined || (request.do === 'keys' && counts.all.keys > 0)) continue;
    if (request.do === 'revise') state.plannings += 1;
    message.waitsFor = 'activity';
    beginTask(run, { kind: 'message', message: message.id, request });
    characters += JSON.stringify(message.payload)?.length ?? 0;
    room -= 1;
  }
  return false;
}

export function endRequest(
  run: Run,
  { message: id, request }: Extract<PendingTask, { kind: 'message' }>,
  ended: TaskEnd,
  at: string,
  verify: Verify,
): void {
  const message = run.state.inbox.find((one) => one.id === id);
  if (message === undefined) return;
  const outcome = applyRequest(run, message, request, ended, at);
  if (outcome === 'goes on') return;
  if (outcome === 'judge again') {
    if (judgeNow(run, message, verify) !== undefined) wait(run, message, 'room');
    return;
  }
  const sender = senderOf(run, message, verify);
  finish(run, message, outcome, sender.ok ? sender.payload : undefined);
}

/**
 * Judges a message by the current state: it is rejected, takes effect, or waits for the plan.
 * @returns the request that an activity must serve first; undefined if none is needed
 */
function judgeNow(run: Run, message: Message, verify: Verify): Request | undefined {
  const { payload } = message;
  if (!knowsKeys(run) && isSigned(payload) && !claimsToStop(payload)) {
    // The project's keys come with the plan. They are read earlier only for a message that may stop the run.
    const problem = tokenProblem(payload);
    if (problem === undefined) wait(run, message, 'plan');
    else finish(run, message, problem);
    return undefined;
  }
  const sender = senderOf(run, message, verify);
  if (!sender.ok) {
    if (!('refusal' in sender)) return { do: 'keys' };
    finish(run, message, sender);
    return undefined;
  }
  const { signed } = sender;
  if (signed !== undefined) {
    const before = replyToSignature(run, message, signed.signature);
    if (before !== undefined) send(run, message, before);
    else if (!makeRoom(run.state, 0) && !claimsToStop(payload)) finish(run, message, refuse('failed', NO_ROOM));
    else message.signed = signed;
    if (message.signed === undefined) return undefined;
  }
  const verdict = judge(run, message.name, sender, message.at);
  if (!verdict.ok) finish(run, message, verdict, sender.payload);
  else if ('request' in verdict) return verdict.request;
  else if ('apply' in verdict) finish(run, message, verdict.apply(), sender.payload);
  else wait(run, message, 'plan');
  return undefined;
}

function senderOf(run: Run, { payload, at }: Pick<Message, 'payload' | 'at'>, verify: Verify): Authenticated {
  return isSigned(payload) ? authenticate(run, payload, at, verify) : { ok: true, payload, verified: false };
}

function wait(run: Run, message: Message, what: 'plan' | 'room'): void {
  if (message.bytes === undefined) {
    const bytes = byteLength(JSON.stringify(message));
    // Anybody may claim to stop the run, so even messages that do so have limited room.
    const extraBytes = claimsToStop(message.payload) ? STOP_BYTES : 0;
    if (!makeRoom(run.state, bytes - extraBytes)) {
      finish(run, message, refuse('failed', NO_ROOM));
      return;
    }
    message.bytes = bytes;
  }
  message.waitsFor = what;
  if (what === 'plan') run.outbox.replies.push({ message: message.id, reply: UNTIL_PLAN });
}

/** @param payload the content that the sender signed */
function finish(run: Run, message: Message, answer: Reply, payload: unknown = message.payload): void {
  if (!answer.ok) {
    const { refusal, reason } = answer;
    note(run, message.at, 'refused', `${message.name}: ${reason}`, { refusal, ...claimsIn(payload) });
  }
  send(run, message, answer);
  run.viewChanged = true;
}

/**
 * Replies and stores the reply, so that a repeated update gets the same one, even as a signal or in the next history.
 */
function send(run: Run, message: Message, answer: Reply): void {
  const { state, outbox } = run;
  const sent: Reply = answer.ok ? { ...answer, reply: visible(answer.reply, { lines: true }) } : answer;
  remember(run, message, sent);
  state.inbox.splice(state.inbox.indexOf(message), 1);
  outbox.replies.push({ message: message.id, reply: sent });
}

/** Maximum number of stored replies to updates. Clients repeat an update within minutes. */
const MAX_REPLIES = 1000;
/** Maximum length of a stored reply, in characters. The first sender gets the whole reply. */
const MAX_TEXT = 2000;
/**
 * Maximum bytes of stored replies and waiting messages. Above it, the oldest replies to unsigned messages are dropped,
 * and if that is not enough, new messages are `failed`, except kill, pause and resume.
 */
const MAX_BYTES = 8 * 2 ** 20;
/** Extra bytes for kill, pause and resume messages whose signatures cannot be verified yet. */
const STOP_BYTES = 2 ** 20;
/** How long expired tokens are stored, in seconds. The clocks of two machines must differ less. */
const FORGET_AFTER_SECONDS = 300;

export const NO_ROOM = `this run has ${MAX_BYTES / 2 ** 20} MiB of messages that wait, or whose tokens are still valid; send it again later, and a plan by "ref"`;

export const UNTIL_PLAN: Reply = { ok: true, reply: 'kept until the plan is compiled', kept: true };

export function replyToUpdate({ state }: Run, update: string | undefined): Reply | undefined {
  if (update === undefined) return undefined;
  const past = readOwn(state.pastReplies, `update ${update}`);
  if (past !== undefined) return past.reply;
  return state.inbox.some((one) => one.waitsFor === 'plan' && one.update === update) ? UNTIL_PLAN : undefined;
}

/** The stored reply to another message with this signature, or an acknowledgement if it has no reply yet. */
export function replyToSignature({ state }: Run, message: Message | undefined, signature: string): Reply | undefined {
  const past = readOwn(state.pastReplies, `signature ${signature}`);
  if (past !== undefined) return past.reply;
  const isTwin = (one: Message) => one !== message && one.signed?.signature === signature;
  return state.inbox.some(isTwin) ? { ok: true, reply: 'this signed message was heard already' } : undefined;
}

/** Stores a reply. If a store or worker was missing, the same token may be sent again. */
export function remember({ state: { pastReplies } }: Run, { update, signed }: Message, reply: Reply): void {
  const short = shortened(reply);
  const past = { reply: short, bytes: byteLength(JSON.stringify(short)) };
  if (update !== undefined) pastReplies[`update ${update}`] = past;
  if (signed !== undefined && (reply.ok || reply.refusal !== 'failed'))
    pastReplies[`signature ${signed.signature}`] = { ...past, until: signed.until };
}

function shortened(reply: Reply): Reply {
  if (reply.ok) return { ...reply, reply: cutCharacters(reply.reply, MAX_TEXT) };
  const { issues, reason, ...refused } = reply;
  const more =
    issues === undefined ? '' : ' Its issues went to whoever sent it first; `planwright compile` has them too.';
  return { ...refused, reason: `${cutCharacters(reason, MAX_TEXT)}${more}` };
}

/** Drops expired tokens, which are rejected anyway, and the oldest replies above the limits. */
export function forgetReplies({ state }: Run, at: string): void {
  const { pastReplies } = state;
  const seconds = Date.parse(at) / 1000 - FORGET_AFTER_SECONDS;
  const entries = Object.entries(pastReplies);
  let more = entries.filter(([, { until }]) => until === undefined).length - MAX_REPLIES;
  for (const [key, { until }] of entries) {
    if (until === undefined ? more-- > 0 : until < seconds) delete pastReplies[key];
  }
  makeRoom(state, 0);
}

/** Drops the oldest replies to unsigned messages until `bytes` more bytes fit. @returns whether they fit */
export function makeRoom({ inbox, pastReplies }: RunState, bytes: number): boolean {
  let excess = bytes - MAX_BYTES;
  for (const message of inbox) excess += message.bytes ?? 0;
  for (const past of Object.values(pastReplies)) excess += past.bytes;
  if (excess <= 0) return true;
  for (const [key, past] of Object.entries(pastReplies)) {
    if (past.until !== undefined) continue;
    delete pastReplies[key];
    excess -= past.bytes;
    if (excess <= 0) return true;
  }
  return false;
}
