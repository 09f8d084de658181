/** The one inlet of a run: all that reaches it takes effect here, in the order in which it came. Only a turn calls it. */

import type { Stored } from './state.ts';
import type { Arrival, MessageArrival } from '../../protocol/index.ts';
import { putOff } from './budget.ts';
import { childBegun, childStarted, hearRuns, signalEnded, type SignalOutcome } from './agents.ts';
import { applyEnd } from './apply-end.ts';
import { hearPart, applyPart, partBegun } from './apply-part.ts';
import type { WorkEnd } from './work-end.ts';
import { note } from './run.ts';
import type { Run } from './in-memory.ts';
import { quote } from '../../plan/text/index.ts';
import type { Verify } from './talk/authenticate.ts';
import { noteStored } from './trace.ts';

/** An arrival from outside, or from the run's own work under way in this history. */
export type Incoming = Arrival | Own;

type Own = { readonly at: string } & (
  | { readonly is: 'ended'; readonly work: number; readonly ended: WorkEnd }
  /** The work on a node is a run of its own, known by its key. */
  | { readonly is: 'child'; readonly workflowId: string; readonly work: number; readonly key: string }
  /** `first` is the run id of its first execution; `isHere`: this history hears of its end. */
  | { readonly is: 'child-there'; readonly workflowId: string; readonly first: string; readonly isHere: boolean }
  /** A signal to another run; `to` is absent for the parent. */
  | { readonly is: 'signalled'; readonly to: string | undefined; readonly outcome: SignalOutcome }
  /** The activity of a part is scheduled; it sends its signals with this key. */
  | { readonly is: 'part-begun'; readonly part: string; readonly key: string }
  | { readonly is: 'part-ended'; readonly part: string; readonly ended: WorkEnd }
  /** The store has it, and the run has not gone on: it is not stored again. */
  | { readonly is: 'stored'; readonly stored: Stored }
  | { readonly is: 'not-stored'; readonly reason: string }
  | { readonly is: 'not-kept'; readonly reason: string }
);

/**
 * What is no message (`talk/inbox.ts`).
 * @returns 0, since nobody waits for a reply
 */
export function arrive(run: Run, incoming: Exclude<Incoming, MessageArrival>, verify: Verify): 0 {
  const { at } = incoming;
  switch (incoming.is) {
    case 'cancelled':
      run.dialogue.cancelled = true;
      break;
    case 'agent':
      hearRuns(run, incoming.message, at);
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
    case 'not-kept':
      note(run, at, 'closed', `its results are not kept ${incoming.reason}`);
  }
  return 0;
}

/**
 * The server takes no end of a history in a workflow task while which something else arrives (`UnhandledCommand`):
 * the worker replays all of it then, and that task brings more and takes longer still. So a history ends in a task
 * that brings few messages.
 * @bound messages in the workflow task in which a history ends
 * @beyond it ends in a later task
 */
const FEW = 5;
/**
 * After so many tasks that brought more, twice as many count as few: where messages never cease, the end is tried all
 * the same.
 * @bound .tasks tasks that bring more, before twice as many count as few
 * @beyond 10, 20, ... messages are few then
 * @bound .doublings how often that number of messages is doubled
 * @beyond 640 messages are few from then on
 */
const PATIENCE = { tasks: 4, doublings: 7 };

/** @param tasks that have brought more so far */
export function fewAfter(tasks: number): number {
  return FEW * 2 ** Math.min(Math.floor(tasks / PATIENCE.tasks), PATIENCE.doublings);
}

/** How much of this comes from outside, so that more may be on its way. */
export function countOutside(arrivals: readonly Incoming[]): number {
  return arrivals.filter(({ is }) => is === undefined || is === 'cancelled' || is === 'agent' || is === 'unknown')
    .length;
}
