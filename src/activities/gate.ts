/** Asks a run for permission before an effect begins, since the run may have changed since it started the activity. */

import { setTimeout as sleep } from 'node:timers/promises';
import { getClient } from '@temporalio/activity';
import { QueryRejectedError, WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import { ANSWERS, problemOf, type MayBeginReply, PART_SIGNAL, type PartNews } from '../protocol/index.ts';
import { messageOf } from '../plan/text/index.ts';
import { inLines } from '../store/index.ts';
import { elapsedMs } from './clock.ts';

/** The exact execution that scheduled the activity. A later run with its workflow id does not know the activity. */
export interface AskedRun {
  readonly workflowId: string;
  /** The execution to ask, or empty for the newest one, since a parent run may have moved to a new history. */
  readonly runId: string;
}

type Asked = number | { readonly agent: string };

export type AskRun = (run: AskedRun, work: readonly Asked[]) => Promise<MayBeginReply>;

export interface EffectGate {
  /**
   * Asks whether the run and all its parents allow the effect, since a parent may be paused before its agents know. No
   * answer within a minute means no.
   * @throws the reason of `signal` if it aborts
   */
  ask(run: AskedRun, work: number, signal: AbortSignal): Promise<EffectPermission>;
}

export type EffectPermission =
  /**
   * The signed messages that allow the effect, the costs and states that people saw, and when the question was asked.
   */
  | {
      readonly ok: true;
      readonly tokens: readonly string[];
      readonly figures: readonly string[];
      /** By `elapsedMs()`. */
      readonly askedAt: number;
      readonly parent?: MayBeginReply['parent'];
    }
  | { readonly ok: false; readonly reason: string; readonly hasEnded?: true };

/** Time limit in ms for one answer of a run. */
const ANSWER_MS = 15_000;
/** Time limit in ms for all questions of one attempt. */
const GIVE_UP_MS = 60_000;
const PAUSE_MS = { first: 100, most: 5000 };

/** Sends each run one query at a time for all waiting tasks, since a server buffers only one query per run. */
export function createGate(ask: AskRun = askByQuery): EffectGate {
  const wordOn = inLines<{ readonly run: AskedRun; readonly work: Asked }, EffectPermission>(
    ({ run: { workflowId, runId } }) => `${workflowId} ${runId}`,
    async (all) => {
      const askedAt = elapsedMs();
      const works = all.map(({ work }) => work);
      return permissionsOf(await ask(all[0]!.run, works), works, askedAt);
    },
  );
  async function askUntilAnswered(run: AskedRun, work: Asked, signal: AbortSignal): Promise<EffectPermission> {
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
      const own = await askUntilAnswered(run, work, signal);
      const asked = new Set([run.workflowId]);
      for (let last = own; last.ok && last.parent !== undefined && !asked.has(last.parent.workflowId);) {
        const { workflowId, key } = last.parent;
        asked.add(workflowId);
        last = await askUntilAnswered({ workflowId, runId: '' }, { agent: key }, signal);
        // An agent may outlive its parent if the server terminated the parent, so an ended parent does not forbid the effect.
        if (!last.ok && last.hasEnded !== true) return last;
      }
      return own;
    },
  };
}

async function askByQuery({ workflowId, runId }: AskedRun, work: readonly Asked[]): Promise<MayBeginReply> {
  const { connection, workflow } = getClient();
  const client = new WorkflowClient({ ...workflow.options, connection, queryRejectCondition: 'NOT_OPEN' });
  // Several attempts wait for the same answer, so aborting one of them must not abort the query.
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
function permissionsOf(given: MayBeginReply, works: readonly Asked[], askedAt: number): readonly EffectPermission[] {
  const problem = problemOf(ANSWERS.mayBegin, given);
  if (problem !== undefined || given.words.length !== works.length)
    throw new TypeError(
      `the query mayBegin was answered with what is no reply; ${problem ?? `${works.length} words were asked for`}`,
    );
  const { words, tokens = [], proofs = [], figures = [], parent } = given;
  return words.map((word, index): EffectPermission => {
    if (word !== null) return no(word);
    const proof = (proofs[index] ?? []).flatMap((place) => tokens[place] ?? []);
    return { ok: true, askedAt, tokens: proof, figures, ...(parent !== undefined && { parent }) };
  });
}

function no(why: string): Extract<EffectPermission, { ok: false }> {
  return { ok: false, reason: why };
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

export type SignalRun = (run: AskedRun, news: PartNews) => Promise<void>;

export const signalPart: SignalRun = async ({ workflowId, runId }, news) => {
  await getClient().workflow.getHandle(workflowId, runId).signal<[PartNews]>(PART_SIGNAL, news);
};
