/** The run of an agent and its parent: the messages between them, and the check of their sender. Pure. */

import type { Child } from './state.ts';
import {
  FROM_AGENT,
  FROM_PARENT,
  given,
  type FromAgent,
  type FromParent,
  isDeeperThan,
  OPEN_ITEMS,
  problemOf,
  VALUE_LEVELS,
  type OpenItem,
} from '../../protocol/index.ts';
import { waitingIn } from '../views/openings.ts';
import { firstOpen } from '../views/open-items.ts';
import { reasonOf, waitsForParent } from './held.ts';
import { note, type Run, kill } from './run.ts';
import { ownAccount } from './spending/account.ts';
import { failureFor, reasonFor } from './spending/end.ts';
import { add, learnCall, NONE } from './spending/ledger.ts';
import { grantedTo } from './spending/spend.ts';

/** A node's work is carried out by a run of its own. */
export function childBegun(run: Run, workflowId: string, work: number, key: string): void {
  // A paused run begins nothing, so this child has not been told of a pause.
  const sent = { key, paused: false, ...given({ granted: grantedTo(run, work) }) };
  run.dialogue.children[workflowId] = { work, key, waitingFor: 0, isStarted: false, sent };
}

export function childStarted(run: Run, workflowId: string): void {
  const child = run.dialogue.children[workflowId];
  if (child !== undefined) child.isStarted = true;
  run.isNews = true;
}

/** The work is over; where it was a run of its own there is room for another agent. */
export function childEnded(run: Run, work: number): void {
  const { children } = run.dialogue;
  for (const [workflowId, child] of Object.entries(children)) {
    if (child.work !== work) continue;
    delete children[workflowId];
    run.isNews = true;
    run.isFreed = true;
  }
}

/** A sender that does not know the key is not heard. @param at when it came, ISO 8601 */
export function hearRuns(run: Run, message: unknown, at: string): void {
  const { parent, children } = run.dialogue;
  if (problemOf(FROM_PARENT, message) === undefined) {
    const heard = message as FromParent;
    if (heard.key === parent?.key) hearParent(run, heard, at);
  }
  if (problemOf(FROM_AGENT, message) !== undefined) return;
  const heard = message as FromAgent;
  for (const [workflowId, child] of Object.entries(children))
    if (heard.key === child.key) hearAgent(run, workflowId, child, heard);
}

function hearParent(run: Run, { paused, granted, over, killed }: FromParent, at: string): void {
  const { dialogue } = run;
  const { account } = dialogue;
  run.isFreed = true;
  if (paused !== undefined) dialogue.parentPaused = paused;
  if (account?.granted !== undefined && granted !== undefined && !isSame(granted, account.granted)) {
    account.granted = granted;
    delete account.request;
  }
  if (account !== undefined && over === true) {
    if (!account.over) note(run, at, 'held', `${reasonFor(run)}; the run whose task this is has no more`);
    account.over = true;
    dialogue.failure ??= failureFor(run);
  }
  if (killed === undefined) return;
  note(run, at, 'control', `kill by ${killed.by} (${killed.comment}): the run whose task this is was killed`);
  kill(run, killed, at);
}

function hearAgent(run: Run, workflowId: string, child: Child, heard: FromAgent): void {
  const { waitingFor, items, waits, spent, call, asksMore, isDone } = heard;
  if (waitingFor !== undefined) {
    child.waitingFor = waitingFor;
    delete child.waits;
    if (waits !== undefined) child.waits = reasonOf(waits);
    takeItems(run, workflowId, items);
  }
  if (spent !== undefined) child.spent = { ...NONE, ...spent };
  const known = call && ownAccount(run);
  if (known !== undefined) learnCall(known.account.ledger, call ?? NONE);
  if (asksMore === true) child.asksMore = true;
  if (isDone === true) child.isDone = true;
  run.isNews = true;
  run.isFreed = true;
}

/** A message for another run: an agent at work here, by the id of its run, or the parent. */
export type RunSignal =
  | { readonly to: string; readonly work: number; readonly message: FromParent }
  | { readonly to?: never; readonly work?: never; readonly message: FromAgent };

/** The messages to send to other runs now; they count as sent. */
export function signalsToRuns(run: Run): readonly RunSignal[] {
  const { dialogue } = run;
  const { account, approval } = dialogue;
  const signals: RunSignal[] = [];
  const paused = dialogue.paused || dialogue.parentPaused;
  for (const [to, child] of Object.entries(dialogue.children)) {
    if (!child.isStarted) continue;
    const { key, work, asksMore, sent } = child;
    // To whom no budget was granted none is.
    const granted = sent.granted && (grantedTo(run, work) ?? sent.granted);
    const isOver = sent.over === true || (asksMore === true && account?.over === true);
    const message = { key, paused, ...given({ granted, over: isOver || undefined, killed: approval.closed?.killed }) };
    if (isSame(message, sent)) continue;
    child.sent = message;
    signals.push({ to, work, message });
  }
  return [...signals, ...signalsToParent(run)];
}

function signalsToParent(run: Run): readonly RunSignal[] {
  const { parent, account } = run.dialogue;
  if (parent === undefined) return [];
  const asksMore = account?.request === 'pending';
  // The parent begins no other agent before it knows what a call costs.
  const isFirstCall =
    account?.granted !== undefined && account.ledger.call.tokens > 0 && account.isCallReported !== true;
  const isOfBudget = asksMore || isFirstCall;
  const waitingFor = waitingIn(run);
  const waits = waitsForParent(run);
  const isKnown = waitingFor === parent.reported && waits === parent.reportedWaits;
  if (!run.isNews && !isOfBudget && isKnown) return [];
  const items = itemsToTell(run);
  // One that takes the place of another, as the plan of an edit does, is news too.
  const reportedItems = JSON.stringify(
    items.map(({ workflowId, id, revision, roles }) => [workflowId, id, revision, roles]),
  );
  if (!isOfBudget && isKnown && reportedItems === parent.reportedItems) return [];
  Object.assign(parent, { reported: waitingFor, reportedItems, reportedWaits: waits });
  if (isOfBudget) Object.assign(account, { isCallReported: true, ...(asksMore && { request: 'sent' }) });
  const { spent, call } = account?.ledger ?? {};
  const message = {
    key: parent.key,
    waitingFor,
    items,
    ...given({ waits, spent, call }),
    ...(asksMore && { asksMore }),
  };
  return [{ message }];
}

/** The last message of an agent's run, before it ends; undefined where nobody has granted it anything. */
export function lastSums({ dialogue: { parent, account } }: Run): RunSignal | undefined {
  if (parent === undefined || account?.granted === undefined) return undefined;
  // A node that was to come again has spent what it had.
  const spent = Object.values(account.ledger.reserved).reduce(add, account.ledger.spent);
  return { message: { key: parent.key, spent, isDone: true } };
}

function isSame(one: object, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Characters of JSON of the items in one message; and those that a run keeps of all its agents, since they are in its snapshots. What
 * has no room is counted, and the agent's own query tells it.
 */
const SENT_CHARACTERS = 8192;
/**
 * @bound the same of all agents of a run, as the run keeps it
 * @beyond counted; the query `questions` of each agent tells it
 */
const KEPT_CHARACTERS = 262_144;
/**
 * Items that are looked at for one message.
 * @bound things that wait in an agent's run, as it tells its parent in one signal
 * @beyond counted; its own query `questions` tells them
 */
const SENT_ITEMS = 20;

/** The first of what is open here and in the agents at work here, as far as there is room. */
function itemsToTell(run: Run): readonly OpenItem[] {
  const sent: OpenItem[] = [];
  let left = SENT_CHARACTERS;
  for (const item of firstOpen(run, SENT_ITEMS)) {
    left -= JSON.stringify(item).length;
    if (left < 0) break;
    sent.push(item);
  }
  return sent;
}

/** Takes in what waits in an agent, where it is that, is about that agent and its own, and there is room. */
function takeItems({ dialogue: { children } }: Run, workflowId: string, items: unknown): void {
  const child = children[workflowId];
  if (child === undefined) return;
  delete child.items;
  if (!Array.isArray(items) || items.length === 0 || items.length > SENT_ITEMS) return;
  if (isDeeperThan(VALUE_LEVELS, items) || problemOf(OPEN_ITEMS, items) !== undefined) return;
  const isIts = ({ workflowId: id }: OpenItem) => id === workflowId || id.startsWith(`${workflowId}.`);
  const sizeOf = (list: unknown) => (list === undefined ? 0 : JSON.stringify(list).length);
  const kept = Object.values(children).reduce((sum, one) => sum + sizeOf(one.items), 0);
  const size = sizeOf(items);
  if (items.every(isIts) && size <= SENT_CHARACTERS + SENT_ITEMS && kept + size <= KEPT_CHARACTERS) child.items = items;
}
