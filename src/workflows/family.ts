/**
 * What the run of an agent and the run whose node it is tell each other: how many things wait for a person there, and whether the
 * parent is paused. Both know a word that nobody else does who may only signal; what comes without it is not heard.
 */

import { defineSignal, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { FAMILY_SIGNAL, type FamilyMessage } from '../contract/index.ts';
import { familyNews, hearFamily, lastWords, type Run } from '../run/index.ts';
import { now } from './now.ts';

const FAMILY = defineSignal<[unknown]>(FAMILY_SIGNAL);

export interface Family {
  /** From now on this is the run; what came before is heard. */
  join(run: Run): void;
  /** Once a turn: whoever does not know yet is told. */
  tell(): void;
  /**
   * Of a run that was killed: by the work that is asked to stop, when the agent at it has been told why, or cannot be. To be
   * cancelled before would leave it without a reason.
   */
  tellWhy(stopping: readonly number[]): ReadonlyMap<number, Promise<void>>;
}

export function createFamily(news: () => void): Family {
  let run: Run | undefined;
  const early: unknown[] = [];
  setHandler(FAMILY, (message) => {
    if (run === undefined) {
      if (early.length < MAX_EARLY) early.push(message);
    } else if (hearFamily(run, message, now())) news();
  });
  return {
    join(mine) {
      run = mine;
      for (const message of early.splice(0)) hearFamily(mine, message, now());
    },
    tell() {
      if (run === undefined) return;
      for (const { to, message } of familyNews(run, workflowInfo().parent?.workflowId)) void send(to, message);
    },
    tellWhy(stopping) {
      const told = new Map<number, Promise<void>>();
      if (run === undefined) return told;
      for (const [work, { to, message }] of lastWords(run, stopping)) told.set(work, send(to, message));
      return told;
    },
  };
}

/** Kept while the run is taken up from the history before. */
const MAX_EARLY = 100;

/** One that has ended meanwhile needs not know. */
function send(to: string, message: FamilyMessage): Promise<void> {
  return getExternalWorkflowHandle(to)
    .signal(FAMILY, message)
    .catch(() => undefined);
}
