/** Applies everything that reaches a run except messages, in the order of arrival. Only a turn calls it. */

import type { Stored } from './state.ts';
import type { Arrival, MessageArrival } from '../../protocol/index.ts';
import { putOff } from './budget.ts';
import { childBegun, childStarted, applyRunSignal, signalEnded, type SignalOutcome } from './agents.ts';
import { applyEnd } from './apply-end.ts';
import { hearPart, applyPart, partBegun } from './apply-part.ts';
import type { WorkEnd } from './work-end.ts';
import { note } from './run.ts';
import type { Run } from './in-memory.ts';
import { quote } from '../../plan/text/index.ts';
import type { Verify } from './talk/authenticate.ts';
import { noteStored } from './trace.ts';

/** Something from outside, or from work that this history has under way. */
export type Incoming = Arrival | Own;

type Own = { readonly at: string } & (
  | { readonly is: 'ended'; readonly work: number; readonly ended: WorkEnd }
  /** Another run executes the node; it is known by the key. */
  | { readonly is: 'child'; readonly workflowId: string; readonly work: number; readonly key: string }
  /** `first` is the run id of its first execution; `isHere`: the server reports its end to this history. */
  | { readonly is: 'child-there'; readonly workflowId: string; readonly first: string; readonly isHere: boolean }
  /** The end of a signal to another run; `to` is absent for the parent. */
  | { readonly is: 'signalled'; readonly to: string | undefined; readonly outcome: SignalOutcome }
  /** The activity of a part is scheduled; its signals carry this key. */
  | { readonly is: 'part-begun'; readonly part: string; readonly key: string }
  | { readonly is: 'part-ended'; readonly part: string; readonly ended: WorkEnd }
  /** The state is in the store, but the history did not end. It is not stored again. */
  | { readonly is: 'stored'; readonly stored: Stored }
  | { readonly is: 'not-stored'; readonly reason: string }
  | { readonly is: 'not-kept'; readonly reason: string }
  /** Whether the search attribute of inboxes is registered now. */
  | { readonly is: 'inbox'; readonly inbox: boolean }
);

/**
 * Applies an arrival that is not a message (for messages see `talk/inbox.ts`).
 * @returns 0, since nobody waits for a reply
 */
export function arrive(run: Run, incoming: Exclude<Incoming, MessageArrival>, verify: Verify): 0 {
  const { at } = incoming;
  switch (incoming.is) {
    case 'cancelled':
      run.dialogue.cancelled = true;
      break;
    case 'agent':
      applyRunSignal(run, incoming.message, at);
      break;
    case 'unknown':
      note(run, at, 'refused', `unknown signal ${quote(incoming.name)}`);
      break;
    case 'ended':
      applyEnd(run, incoming.work, incoming.ended, at, verify);
      break;
    case 'child':
      childBegun(run, incoming.workflowId, incoming.work, incoming.key);
      break;
    case 'part':
      hearPart(run, incoming.message, at, verify);
      break;
    case 'part-begun':
      partBegun(run, incoming.part, incoming.key);
      break;
    case 'part-ended':
      applyPart(run, incoming.part, incoming.ended, at, verify);
      break;
    case 'child-there':
      childStarted(run, incoming.workflowId, incoming.first, incoming.isHere);
      break;
    case 'signalled':
      signalEnded(run, incoming.to, incoming.outcome, at);
      break;
    case 'stored':
      noteStored(run.dialogue.trace, incoming.stored.trace);
      if (run.execution !== undefined && incoming.stored.slice !== undefined)
        run.execution.pages = incoming.stored.slice;
      break;
    case 'not-stored':
      putOff(run, at, incoming.reason);
      note(run, at, 'refused', `the store took no snapshot: ${incoming.reason}`);
      break;
    case 'inbox':
      run.isNews ||= incoming.inbox !== run.dialogue.project.inbox;
      run.dialogue.project = { ...run.dialogue.project, inbox: incoming.inbox };
      break;
    case 'not-kept':
      note(run, at, 'closed', `its results are not kept ${incoming.reason}`);
  }
  return 0;
}

/**
 * The most messages of the workflow task that ends a history. The server rejects the end if something arrives during
 * that task (`UnhandledCommand`). The worker then replays the history, and the next task is longer still.
 */
const FEW = 5;
/**
 * If messages never cease, the history must end all the same: after each `tasks` busy tasks the limit doubles,
 * `doublings` times at most.
 */
const PATIENCE = { tasks: 4, doublings: 7 };

/** @param tasks the busy tasks so far */
export function fewAfter(tasks: number): number {
  return FEW * 2 ** Math.min(Math.floor(tasks / PATIENCE.tasks), PATIENCE.doublings);
}

/** How many of these come from outside, so that more may follow. */
export function countOutside(arrivals: readonly Incoming[]): number {
  return arrivals.filter(({ is }) => is === undefined || is === 'cancelled' || is === 'agent' || is === 'unknown')
    .length;
}
