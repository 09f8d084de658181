/**
 * The signals between the run of an agent and its parent: how many things wait for a person there, and whether the
 * parent is paused. Both know a word that senders of other signals do not know; a signal without it is ignored.
 */

import { defineSignal, getExternalWorkflowHandle, setHandler, workflowInfo } from '@temporalio/workflow';
import { FAMILY_SIGNAL, PART_SIGNAL } from '../protocol/index.ts';
import type { FamilyNews } from './run/index.ts';
import { now } from './now.ts';
import type { Post } from './post.ts';

const FAMILY = defineSignal<[unknown]>(FAMILY_SIGNAL);

const PART = defineSignal<[unknown]>(PART_SIGNAL);

/** The parts of this run tell it what has ended, by a word that it has given them. */
export function hearParts(post: Post): void {
  setHandler(PART, (message) => post.drop({ is: 'part', message, at: now() }));
}

export function hearFamily(post: Post): void {
  setHandler(FAMILY, (message) => post.drop({ is: 'family', message, at: now() }));
}

/** A run that has ended meanwhile need not know. */
export function tell({ to = workflowInfo().parent?.workflowId, message }: FamilyNews): Promise<void> {
  if (to === undefined) return Promise.resolve();
  return getExternalWorkflowHandle(to)
    .signal(FAMILY, message)
    .catch(() => undefined);
}
