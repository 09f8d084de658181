/**
 * What the run of an agent and the run whose node it is tell each other: how many things wait for a person there, and whether the
 * parent is paused. Both know a word that nobody else does who may only signal; what comes without it is not heard.
 */

import { defineSignal, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { FAMILY_SIGNAL } from '../../wire/contract/index.ts';
import { lastWords, type FamilyNews, type Run } from '../run/index.ts';
import { now } from './now.ts';
import type { Post } from './post.ts';

const FAMILY = defineSignal<[unknown]>(FAMILY_SIGNAL);

export function hearFamily(post: Post): void {
  setHandler(FAMILY, (message) => post.drop({ is: 'family', message, at: now() }));
}

/** One that has ended meanwhile needs not know. */
export function tell({ to = workflowInfo().parent?.workflowId, message }: FamilyNews): Promise<void> {
  if (to === undefined) return Promise.resolve();
  return getExternalWorkflowHandle(to)
    .signal(FAMILY, message)
    .catch(() => undefined);
}

/**
 * Of a run that was killed: by the work that is asked to stop, when the agent at it has been told why, or cannot be. To be
 * cancelled before would leave it without a reason.
 */
export function tellWhy(run: Run, stopping: readonly number[]): ReadonlyMap<number, Promise<void>> {
  return new Map([...lastWords(run, stopping)].map(([work, news]) => [work, tell(news)]));
}
