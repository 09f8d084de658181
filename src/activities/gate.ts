/**
 * The gate before an effect: right before an effect above read begins, its worker asks the run for permission. The work
 * may have waited long for a worker, and the run may have changed since.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { getClient } from '@temporalio/activity';
import { QueryRejectedError, WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import { ANSWERS, problemOf, type MayBeginReply, PART_SIGNAL, type PartNews } from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import { inLines } from '../store/index.ts';

/** The very run that started the work: a later one of the same id knows nothing of it. */
export interface AskedRun {
  readonly workflowId: string;
  /** '' for the newest, of a run that is asked about its agent: it may have gone on in another history. */
  readonly runId: string;
}

/** Work by its id, and an agent by its key. */
type Asked = number | { readonly agent: string };

/** Asks a run about its work. */
export type AskRun = (run: AskedRun, work: readonly Asked[]) => Promise<MayBeginReply>;

export interface EffectGate {
  /**
   * Whether the run and its parents allow the effect: a parent that was paused without a worker has not informed its
   * agents yet. No answer within a minute means no.
   * @throws the reason of `signal`, if aborted
   */
  ask(run: AskedRun, work: number, signal: AbortSignal): Promise<Word>;
}

export type Word =
  /** With the signed messages under which the run allows it, and the time of the question (`performance.now()`). */
  | {
      readonly ok: true;
      readonly tokens: readonly string[];
      readonly askedAt: number;
      readonly parent?: MayBeginReply['parent'];
    }
  | { readonly ok: false; readonly reason: string; readonly hasEnded?: true };

/** An answer of the run whether an effect may begin. */
const ANSWER_MS = 15_000;
/** All questions of an attempt whether its effect may begin. */
const GIVE_UP_MS = 60_000;
const PAUSE_MS = { first: 100, most: 5000 };

/**
 * A server buffers one query for a run while a workflow task is open, and delays others by a second. So each run gets
 * one query at a time, and the next one asks for everything that came meanwhile.
 */
export function createGate(ask: AskRun = askByQuery): EffectGate {
  const wordOn = inLines<{ readonly run: AskedRun; readonly work: Asked }, Word>(
    ({ run: { workflowId, runId } }) => `${workflowId} ${runId}`,
    async (all) => {
      const askedAt = performance.now();
      const works = all.map(({ work }) => work);
      return wordsOf(await ask(all[0]!.run, works), works, askedAt);
    },
  );
  async function heard(run: AskedRun, work: Asked, signal: AbortSignal): Promise<Word> {
    const until = performance.now() + GIVE_UP_MS;
    for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
      signal.throwIfAborted();
      try {
        return await orAborted(wordOn({ run, work }), signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof QueryRejectedError || error instanceof WorkflowNotFoundError)
          return { ...no('the run has ended'), hasEnded: true };
        if (performance.now() >= until)
          return no(`the run did not say within a minute whether it may (${messageOf(error)})`);
      }
      await orAborted(sleep(pause), signal);
    }
  }

  return {
    async ask(run, work, signal) {
      const own = await heard(run, work, signal);
      const asked = new Set([run.workflowId]);
      for (let last = own; last.ok && last.parent !== undefined && !asked.has(last.parent.workflowId);) {
        const { workflowId, key } = last.parent;
        asked.add(workflowId);
        last = await heard({ workflowId, runId: '' }, { agent: key }, signal);
        // An agent outlives a run that was ended by the server.
        if (!last.ok && last.hasEnded !== true) return last;
      }
      return own;
    },
  };
}

async function askByQuery({ workflowId, runId }: AskedRun, work: readonly Asked[]): Promise<MayBeginReply> {
  const { connection, workflow } = getClient();
  const client = new WorkflowClient({ ...workflow.options, connection, queryRejectCondition: 'NOT_OPEN' });
  // Others wait for the same answer: it does not end with the attempt that happened to ask.
  const ofNobody = new AbortController().signal;
  return client.withAbortSignal(ofNobody, () =>
    client.withDeadline(Date.now() + ANSWER_MS, () =>
      client
        .getHandle(workflowId, runId === '' ? undefined : runId)
        .query<MayBeginReply, [object]>('mayBegin', { work }),
    ),
  );
}

/** Validates the reply: another worker could have sent it. Tokens are verified separately. */
function wordsOf(given: MayBeginReply, works: readonly Asked[], askedAt: number): readonly Word[] {
  const problem = problemOf(ANSWERS.mayBegin, given);
  if (problem !== undefined || given.words.length !== works.length)
    throw new TypeError(
      `the query mayBegin was answered with what is no reply; ${problem ?? `${works.length} words were asked for`}`,
    );
  const { words, tokens = [], proofs = [], parent } = given;
  return words.map((word, index): Word => {
    if (word !== null) return no(word);
    const proof = (proofs[index] ?? []).flatMap((place) => tokens[place] ?? []);
    return { ok: true, askedAt, tokens: proof, ...(parent !== undefined && { parent }) };
  });
}

function no(why: string): Extract<Word, { ok: false }> {
  return { ok: false, reason: why };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export type TellRun = (run: AskedRun, news: PartNews) => Promise<void>;

export const tellBySignal: TellRun = async ({ workflowId, runId }, news) => {
  await getClient().workflow.getHandle(workflowId, runId).signal<[PartNews]>(PART_SIGNAL, news);
};
