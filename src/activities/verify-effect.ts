/** Asks the probe of an at-most-once effect about an earlier attempt that claimed the effect and stored no result. */

import { Context } from '@temporalio/activity';
import type { TaskContext, WorkCapability } from '../capabilities/index.ts';
import { clockText, cutCharacters, messageOf, oneLine } from '../plan/text/index.ts';
import { aborted, describe, isRecord, timeoutSignal, type NodeReply } from '../protocol/index.ts';
import { uncertain, type EffectState, type Claimed } from './begin-effect.ts';
import { deferralFacts } from './attempt-wrappers.ts';
import { elapsedMs } from './clock.ts';
import { storeIfFitting, type StoreNode } from './node-results.ts';

const TRY_MS = 30_000;
const TRIES = 3;
/** Each question may take this fraction of the attempt's time, so that all questions fit into the attempt. */
const TRIES_IN_ATTEMPT = 4;
const MAX_PROBLEM = 300;

interface Probed {
  readonly says: string;
  readonly found?: Readonly<Record<string, unknown>> | undefined;
}

export interface Verifying {
  readonly capability: Pick<WorkCapability, 'name' | 'version' | 'output' | 'verify'>;
  readonly task: TaskContext<unknown>;
  readonly claimed: Claimed;
  readonly beginning: EffectState;
  readonly keep: StoreNode;
  /** True if the node was cancelled. Then only the state of its effect matters, and nobody waits for a retry. */
  readonly isOver: boolean;
}

/**
 * Resolves with the result that the probe found, or defers if an earlier attempt may still run.
 * @throws RunFailureError with the probe's text, if a person must decide
 */
export async function verifyEffect(verifying: Verifying): Promise<NodeReply> {
  const { capability, claimed, beginning, keep, isOver } = verifying;
  const { startToCloseTimeoutMs } = Context.current().info;
  const tryMs = Math.min(TRY_MS, startToCloseTimeoutMs / TRIES_IN_ATTEMPT);
  const lastTry = elapsedMs() + startToCloseTimeoutMs / 2;
  let { says, found } = await ask(verifying, tryMs);
  if (!isOver) {
    while (found?.['happened'] === 'pending' && elapsedMs() < lastTry) ({ says, found } = await ask(verifying, tryMs));
    if (found?.['happened'] === 'pending') return waiting(says);
  }
  if (found?.['happened'] === true) {
    const reply = await storeIfFitting(capability.output, found['result'], keep, says);
    if (reply !== undefined) return reply;
    throw uncertain(claimed, `${says}, and gives a result that is no ${capability.output}`);
  }
  if (found === undefined) throw uncertain(claimed, says);
  // The earlier attempt's worker may only be stalled, and may begin the effect later.
  const ends = Math.min(claimed.until, Date.now() + startToCloseTimeoutMs);
  if (isOver || Date.now() >= ends) throw uncertain(claimed, says);
  const until = clockText(new Date(ends).toISOString());
  return waiting(`${says}; the attempt that claimed it may still do it until ${until}`);

  async function waiting(reason: string): Promise<NodeReply> {
    return { deferred: 'probe', reason, mayHaveBegun: true, ...(await deferralFacts(beginning)) };
  }
}

function pendingWhy(why: unknown): string {
  return typeof why === 'string' ? `, ${cutCharacters(oneLine(why), MAX_PROBLEM)}` : '';
}

const CANNOT_TELL = 'it cannot tell whether it happened';

async function ask({ capability, task }: Verifying, tryMs: number): Promise<Probed> {
  const about = `the probe of ${capability.name}@${capability.version}`;
  const says = (what: string) => `${about} said at ${clockText(new Date().toISOString())}: ${what}`;
  let problem = '';
  for (let tried = 0; tried < TRIES; tried += 1) {
    const signal = AbortSignal.any([task.signal, timeoutSignal(tryMs)]);
    try {
      const answer: unknown = await Promise.race([capability.verify!({ ...task, signal }), aborted(signal)]);
      const { happened, why } = isRecord(answer) ? answer : {};
      if (happened === 'pending') return { says: says(`it is under way${pendingWhy(why)}`), found: { happened } };
      const isAnswer = isRecord(answer) && (happened === false || (happened === true && 'result' in answer));
      if (isAnswer) return { says: says(happened ? 'it happened' : 'it did not happen'), found: answer };
      return { says: says(answer === undefined ? CANNOT_TELL : `what is no answer, ${describe(answer)}`) };
    } catch (error) {
      task.signal.throwIfAborted();
      problem = cutCharacters(oneLine(messageOf(error)), MAX_PROBLEM);
    }
  }
  return {
    says: `${about} gave no answer in ${TRIES} tries, the last at ${clockText(new Date().toISOString())}: ${problem}`,
  };
}
