import type { OpenQuestion, Backoff } from '../run/state.ts';
import type { Wait } from '../approval/state.ts';
import { awaitedBy, reasonOf } from '../run/backoff.ts';
import { numbered } from '../run/records.ts';
import { itemId, openRemoved, unsettledRemoved } from '../run/started-effects.ts';
import { nodeId, type DeferralCause } from '../../protocol/index.ts';
import { waitOf } from '../approval/approval.ts';
import { rolesFor, rolesNeeded } from '../approval/coverage.ts';
import { askingNodes, subjectFor, isAsking } from '../run/run.ts';
import type { Run, Execution } from '../run/in-memory.ts';
import { clockText, cutBytes, cutCharacters, visible } from '../../plan/text/index.ts';
import { sum } from '../run/task-traits.ts';

/** Maximum bytes of the roles in the search attribute. The server rejects a task with more than 2 kB of them. */
const ROLES_BYTES = 1900;

export type Opening = Wait & { readonly id: string } & (
    | { readonly kind: 'approval' | 'fault' | 'budget' }
    | { readonly kind: 'question'; readonly question: OpenQuestion }
    | Settling
  );

/** A node whose failure or uncertain effect a person must settle, even if an edit removed the node. */
export interface Settling {
  readonly kind: 'settling';
  readonly of: Execution;
  readonly node: number;
  readonly name: string;
  readonly revision: number;
}

/** Yields the approval, then the questions (oldest first), then the nodes without a result. */
export function* openings(run: Run): Generator<Opening> {
  const { state, execution } = run;
  if (state.approval.phase === 'closed') return;
  const wait = waitOf(state.approval);
  if (wait !== undefined && isAsking(run)) yield { kind: 'approval', id: 'approval', ...wait };
  // Yields the questions one by one, since the caller may need only the first.
  for (const id in state.questions) {
    const question = state.questions[id] as OpenQuestion;
    const { since, deadline } = question;
    if (!question.closing) yield { kind: 'question', id, since, deadline, question };
  }
  const { revision } = state.approval;
  for (const [node, nodeWait] of numbered(execution?.unsettled)) {
    const name = nodeId(node);
    yield { ...nodeWait, kind: 'settling', id: name, of: execution!, node, name, revision };
  }
  for (const removed of state.removedEffects === undefined ? [] : unsettledRemoved(run)) {
    const { node: name, planShape, nodes } = removed;
    const facts = { of: openRemoved(removed), node: 0, name, revision: removed.revision };
    yield { ...nodes.unsettled[0]!, kind: 'settling', id: itemId(planShape, name), ...facts };
  }
  const { since = '', deadline } = state.backoff ?? {};
  if (deadline !== undefined) yield { kind: 'fault', id: 'fault', since, deadline };
  const budgetWait = state.account?.wait;
  if (budgetWait !== undefined) yield { kind: 'budget', id: 'budget', ...budgetWait };
}

export function countOpen(run: Run): number {
  let count = 0;
  for (const _ of openings(run)) count += 1;
  return count;
}

export function waitingIn(run: Run): number {
  let count = countOpen(run);
  for (const { waitingFor } of Object.values(run.state.children)) count += waitingFor;
  return count;
}

/** The roles that the run waits for. Contains `anyone` if an item needs no role, or if the roles exceed the limit. */
export function rolesWaitedFor(run: Run): readonly string[] {
  const named = new Set<string>();
  for (const opening of openings(run)) for (const role of rolesOf(run, opening) ?? ['anyone']) named.add(role);
  const fitting: string[] = [];
  let size = 0;
  for (const role of [...named].toSorted()) {
    size += 3 * (JSON.stringify(role).length + 1);
    if (size > ROLES_BYTES) return [...new Set([...fitting, 'anyone'])].toSorted();
    fitting.push(role);
  }
  return fitting;
}

/** The roles that the item waits for; undefined if anybody may answer. */
export function rolesOf(run: Run, opening: Opening): readonly string[] | undefined {
  const { subject, consents } = run.state.approval;
  switch (opening.kind) {
    case 'question':
      return opening.question.question.roles;
    case 'settling':
      return subject === undefined ? undefined : rolesFor(opening.node, subjectFor(run, opening.of)!);
    case 'fault':
    case 'budget':
      return undefined;
    case 'approval': {
      const needed = subject === undefined ? [undefined] : [...rolesNeeded(askingNodes(run), subject, consents)];
      // A rejected plan waits for an edit by anybody, even if no approval is missing.
      return needed.length === 0 || needed.includes(undefined) ? undefined : (needed as string[]);
    }
  }
}

/** Maximum bytes of a timer's summary. The server rejects a workflow task if a summary exceeds 400 bytes of JSON. */
const MAX_BYTES = 180;
const MAX_ROLES = 40;
const MAX_FAULT = 40;

/**
 * Text that says for what and for whom the run waits until `due`, in at most 180 bytes of UTF-8.
 * @example 'the answer to node_2 (Ask for the offset) by operator, until 2026-01-02 03:04:05Z'
 */
export function timerText(run: Run, due: string): string {
  let nearest: Opening | undefined;
  let count = 0;
  for (const opening of openings(run)) {
    count += 1;
    if (nearest === undefined || opening.deadline < nearest.deadline) nearest = opening;
  }
  const until = `until ${clockText(due)}`;
  if (nearest === undefined) return `what is under way, ${until}`;
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  return cutBytes(visible(`${awaitedSubject(run, nearest)}${byWhom(run, nearest)}${more}, ${until}`), MAX_BYTES);
}

function awaitedSubject({ execution, state }: Run, opening: Opening): string {
  switch (opening.kind) {
    case 'approval':
      return state.approval.rejected ? 'an edit of the rejected plan' : 'a decision on the plan';
    case 'question': {
      const { node, id } = opening.question;
      return `the answer to ${node < 0 ? id : titleOf(execution, node)}`;
    }
    case 'settling': {
      const { of, node, name } = opening;
      const isUncertain = of.progress.status[node] === 'uncertain';
      return `${isUncertain ? 'whether this happened' : 'what becomes of'}: ${titleOf(of, node, name)}`;
    }
    case 'budget':
      return 'a word on the budget, which is spent';
    case 'fault':
      return `what becomes of the run that waits for ${cutCharacters(state.backoff === undefined ? '' : awaitedBy(state.backoff), MAX_FAULT)}`;
  }
}

function titleOf(execution: Execution | undefined, node: number, name = nodeId(node)): string {
  const summary = execution?.planShape.summaries[node] ?? '';
  return summary === '' ? name : `${name} (${summary})`;
}

function byWhom(run: Run, opening: Opening): string {
  const roles = rolesOf(run, opening);
  return roles === undefined ? '' : ` by ${cutCharacters(roles.join(' or '), MAX_ROLES)}`;
}

/**
 * Text for a backoff.
 * @example 'waits for the store: ENOSPC, since 14:02:11 UTC; try 6 at 14:02:19 UTC; a person is asked at 14:12:11 UTC'
 */
export function waitsFor(run: Run): string | undefined {
  const { backoff } = run.drain;
  const waits = waitsSince(run, true);
  if (waits !== undefined || backoff === undefined) return waits;
  const { reason, until } = backoff;
  return `waits for the result store, to continue in a new history: ${reasonOf(reason)}; next try at ${utc(until)}`;
}

export function waitsForParent(run: Run): string | undefined {
  const children = Object.values(run.state.children);
  return waitsSince(run, false) ?? children.find(({ waits }) => waits !== undefined)?.waits;
}

function waitsSince(run: Run, hasTries: boolean): string | undefined {
  const { backoff } = run.state;
  if (backoff !== undefined) {
    const { cause, since, askAt, deadline } = backoff;
    const isToTry = cause === 'fault' || (cause !== 'worker' && sum(run.counts.deferred) > 0);
    const next = hasTries && isToTry ? backoff : undefined;
    return waitText(awaitedBy(backoff), since, next, deadline === undefined ? askAt : undefined);
  }
  for (const [node] of numbered(run.execution?.backoffs)) {
    const words = waitsForVersion(run, node, hasTries);
    if (words !== undefined) return words;
  }
  return undefined;
}

const SHOWN_CAUSES: readonly DeferralCause[] = ['version', 'probe', 'queue'];

/** Why a node waits: its workers lack the capability's version or another worker, or its effect is uncertain. */
export function waitsForVersion({ execution }: Run, node: number, hasTries = true): string | undefined {
  const backoff = execution?.backoffs[node];
  const status = execution?.progress.status[node];
  // The parent does not learn of each retry, so it shows the wait even while a retry is running.
  const isWaiting = status === 'pending' || (status === 'running' && !hasTries);
  if (backoff === undefined || !SHOWN_CAUSES.includes(backoff.cause) || !isWaiting) return undefined;
  return waitText(awaitedBy(backoff), backoff.since, hasTries ? backoff : undefined, backoff.askAt);
}

/** Text for a wait. @param next the number of tries so far, and the time of the next one */
export function waitText(
  reason: string,
  since: string,
  next?: Pick<Backoff, 'attempt' | 'until'>,
  askAt?: string,
): string {
  const tried = next === undefined || next.until === '' ? '' : `; try ${next.attempt + 1} at ${utc(next.until)}`;
  const asked = askAt === undefined ? '' : `; a person is asked at ${utc(askAt)}`;
  return `waits for ${reason}, since ${utc(since)}${tried}${asked}`;
}

function utc(time: string): string {
  return `${time.slice(11, 19)} UTC`;
}
