/** The replies that a run remembers. A repeated message gets the same reply and takes effect once. */

import type { Reply } from '../../../protocol/index.ts';
import { byteLength, cutCharacters } from '../../../plan/text/index.ts';
import type { Run } from '../in-memory.ts';
import { own } from '../records.ts';
import type { Dialogue } from '../state.ts';
import type { Message } from '../work-state.ts';

/**
 * Replies to updates; a client repeats an update within minutes. After the oldest is forgotten, its update is judged
 * again. Signals that name an update count.
 */
const MAX_REPLIES = 1000;
/** Characters of a remembered reply. The first sender gets all of it, and the issues of a rejected plan. */
const MAX_TEXT = 2000;
/**
 * All of it goes to the next history.
 * @bound replies that are remembered, with the messages that wait for a plan or an activity
 * @beyond the oldest replies to unsigned messages are forgotten; then signed or waiting messages are `failed`, except kill, pause and resume
 */
const MAX_BYTES = 8 * 2 ** 20;
/** More than the clocks of two machines may differ. */
const FORGET_AFTER_SECONDS = 300;

export const NO_ROOM = `this run has ${MAX_BYTES / 2 ** 20} MiB of messages that wait, or whose tokens are still valid; send it again later, and a plan by "ref"`;

/** The reply to a message before there is a plan. */
export const KEPT: Reply = { ok: true, reply: 'kept until the plan is compiled', kept: true };

/** The reply to an update of this id; undefined if there is none, or no id. */
export function replyToUpdate({ dialogue }: Run, update: string | undefined): Reply | undefined {
  if (update === undefined) return undefined;
  const past = own(dialogue.pastReplies, `update ${update}`);
  if (past !== undefined) return past.reply;
  return dialogue.inbox.some((one) => one.waitsFor === 'plan' && one.update === update) ? KEPT : undefined;
}

/** The reply that another message with the same signature has or will have. */
export function replyToSignature(
  { dialogue }: Run,
  message: Message | undefined,
  signature: string,
): Reply | undefined {
  const past = own(dialogue.pastReplies, `signature ${signature}`);
  if (past !== undefined) return past.reply;
  const isTwin = (one: Message) => one !== message && one.signed?.signature === signature;
  return dialogue.inbox.some(isTwin) ? { ok: true, reply: 'this signed message was heard already' } : undefined;
}

/** If a message failed because a store or worker was missing, it may be sent again with the same token. */
export function remember({ dialogue: { pastReplies } }: Run, { update, signed }: Message, reply: Reply): void {
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

/**
 * Forgets expired tokens, which are rejected anyway, and the oldest replies beyond the limits. @param at now, ISO 8601
 */
export function forgetReplies({ dialogue }: Run, at: string): void {
  const { pastReplies } = dialogue;
  const seconds = Date.parse(at) / 1000 - FORGET_AFTER_SECONDS;
  const entries = Object.entries(pastReplies);
  let more = entries.filter(([, { until }]) => until === undefined).length - MAX_REPLIES;
  for (const [key, { until }] of entries) {
    if (until === undefined ? more-- > 0 : until < seconds) delete pastReplies[key];
  }
  makeRoom(dialogue, 0);
}

/** Forgets the oldest replies to unsigned messages to make room for so many bytes. @returns whether there is room */
export function makeRoom({ inbox, pastReplies }: Dialogue, bytes: number): boolean {
  let over = bytes - MAX_BYTES;
  for (const message of inbox) over += message.bytes ?? 0;
  for (const past of Object.values(pastReplies)) over += past.bytes;
  if (over <= 0) return true;
  for (const [key, past] of Object.entries(pastReplies)) {
    if (past.until !== undefined) continue;
    delete pastReplies[key];
    over -= past.bytes;
    if (over <= 0) return true;
  }
  return false;
}
