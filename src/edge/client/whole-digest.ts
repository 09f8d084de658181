/**
 * Completes the digest of a message before it is signed: another plan can be made on purpose with the same first eight
 * digits.
 */

import {
  CONTROLS,
  isWholeDigest,
  type Answer,
  type Control,
  type Decision,
  type PlanView,
} from '../../wire/contract/index.ts';

/**
 * A message with the whole digest of the open plan, where it names the first digits of it or, as an answer and a gated
 * control message may, none. One about another plan is left as it is; the run refuses it.
 * @param openPlan asks the run, when that is needed
 */
export async function withWholeDigest<Message extends Decision | Answer | Control>(
  message: Message,
  openPlan: () => Promise<PlanView>,
): Promise<Message> {
  const { digest } = message;
  const isWanted = 'action' in message ? CONTROLS[message.action].gated : true;
  if (!isWanted || isWholeDigest(digest)) return message;
  const open = (await openPlan()).digest;
  return open.startsWith(digest?.toLowerCase() ?? '') && open !== '' ? { ...message, digest: open } : message;
}
