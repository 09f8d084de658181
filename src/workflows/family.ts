/**
 * The signals between runs that belong together, and of the parts of a run. Both sides know a word that senders of other
 * signals do not know; a signal without it is ignored.
 */

import { defineSignal, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { FAMILY_SIGNAL, PART_SIGNAL } from '../protocol/index.ts';
import type { FamilyNews } from './run/index.ts';
import { now } from './now.ts';
import type { Post } from './post.ts';

export function hearFamily(post: Post): void {
  for (const is of [FAMILY_SIGNAL, PART_SIGNAL] as const)
    setHandler(defineSignal<[unknown]>(is), (message) => post.drop({ is, message, at: now() }));
}

/** A run that has ended meanwhile need not know. */
export function tell({ to = workflowInfo().parent?.workflowId, message }: FamilyNews): Promise<void> {
  if (to === undefined) return Promise.resolve();
  return getExternalWorkflowHandle(to)
    .signal(FAMILY_SIGNAL, message)
    .catch(() => undefined);
}
