/** Begins an effect: only with the run's permission, and only once if the effect must not be repeated. */

import { randomBytes } from 'node:crypto';
import { Context, getClient } from '@temporalio/activity';
import { takeLook } from '../capabilities/builtin/index.ts';
import { CapabilityError, NotApplied, type Capability } from '../capabilities/index.ts';
import {
  fits,
  given,
  idempotencyKey,
  isRecord,
  NEW_HISTORY,
  type NodeRequest,
  type Noted,
  type ResultHandle,
  type SeenChange,
  type Usage,
  RunFailureError,
  runName,
  timeoutSignal,
  UNSEEN_STATE,
} from '../protocol/index.ts';
import type { Effect } from '../plan/index.ts';
import type { ResultStore } from '../store/index.ts';
import { claimName, recordEffect } from './run-records.ts';
import type { UndoClaim } from './undo-claim.ts';
import { entryJson } from './stores.ts';
import type { EffectGate, AskedRun } from './gate.ts';
import { jsonIn, messageOf } from '../plan/text/index.ts';
import { rootAtServer, type Root } from '../protocol/executions.ts';
import { elapsedMs } from './clock.ts';

/** Thrown if the run does not let the effect begin, or if the activity has spent its budget. */
export class Blocked extends Error {
  override readonly name = 'Blocked';
  readonly spent?: Usage;
  readonly seen?: SeenChange;
  /**
   * What is missing: a preview of the effect (`look`), what the capability waits for (`queue`), or the end of another
   * run's step (`probe`).
   */
  readonly lacks?: 'look' | 'queue' | 'probe';
  /** Signatures of the grants that do not cover the effect, if this worker found that out. */
  readonly ungranted?: readonly string[];
  constructor(reason: string, { spent, seen, lacks, ungranted }: Partial<Omit<Blocked, keyof Error>> = {}) {
    super(reason);
    if (ungranted !== undefined) this.ungranted = ungranted;
    if (lacks !== undefined) this.lacks = lacks;
    if (spent !== undefined) this.spent = spent;
    if (seen !== undefined) this.seen = seen;
  }
}

/** Thrown if the store already has the effect's result, for example after the server was restored from a backup. */
class DoneBefore extends Error {
  override readonly name = 'DoneBefore';
  readonly result: ResultHandle & Noted;
  constructor(result: ResultHandle & Noted) {
    super('the effect was done before');
    this.result = result;
  }
}

export function isDoneBefore(error: unknown): error is DoneBefore {
  return isOf(DoneBefore, error);
}

export function isBlocked(error: unknown): error is Blocked {
  return isOf(Blocked, error);
}

/** Never throws. Plain `instanceof` might: a capability may throw a proxy that throws on any access. */
function isOf(kind: typeof Blocked | typeof DoneBefore, error: unknown): boolean {
  try {
    return error instanceof kind;
  } catch {
    return false;
  }
}

/** The progress of an attempt at an effect. `begun`: the capability was called. Failures before that had no effect. */
export interface EffectState {
  begun: boolean;
  once?: boolean;
  /** Set when an effect has begun. If the attempt is then stopped, it waits for the capability to end. */
  isEffect?: boolean;
  /** Set when the capability has read the state that the effect would change. */
  isLookedAt?: boolean;
  /** The random text of this attempt's claim. */
  claimToken?: string;
  isClaimed?: boolean;
  /** Set if the attempt was asked to stop. It settles when the reason for the stop is known. */
  stopping?: Promise<void>;
  /** Set if the attempt must stop only because the run moves to a new history. The run waits for this attempt. */
  continuesForHistory?: boolean;
  usage?: () => Usage;
  /** Stores the capability's last report and resolves with its reference; undefined without a report. */
  saveReport?: () => Promise<string | undefined>;
}

export interface EffectAttempt {
  readonly request: NodeRequest;
  readonly place: Parameters<typeof idempotencyKey>[0];
  /** `binding`: the node's identity for approval and execution. `effectKey`: identifies what the node does. */
  readonly binding: string;
  readonly effectKey: string;
  readonly store: ResultStore;
  readonly gate: EffectGate;
  /** Throws unless these signed messages allow the effect; absent if messages are unsigned. */
  readonly prove?: ((tokens: readonly string[], figures: readonly string[]) => Promise<void>) | undefined;
  /** Throws unless the server confirms that the request belongs to the run that it names. */
  readonly checkChain: () => Promise<void>;
  /** Present for a step that undoes an effect of another run. */
  readonly undo?: UndoClaim | undefined;
  /** Throws unless the step is the inverse of the effect that it undoes. */
  readonly checkUndo?: (() => Promise<void>) | undefined;
  readonly storedResult: () => Promise<(ResultHandle & Noted) | undefined>;
  readonly beginning: EffectState;
  readonly signal: AbortSignal;
}

/** How long a permission is valid, in ms from the question. Later, the attempt asks again. */
const FRESH_MS = 2000;
/** Maximum number of questions for permission per attempt. If the run answers too slowly, the last answer counts. */
const MAX_QUESTIONS = 3;

/**
 * Returns if the effect may begin. Call this right before the capability.
 * @throws Blocked if it may not begin, DoneBefore if its result exists, RunFailureError if an earlier attempt had begun
 * it
 */
export async function beginEffect(effect: Effect, attempt: EffectAttempt): Promise<void> {
  const { beginning, signal } = attempt;
  if (effect === 'read') {
    beginning.begun = true;
    return;
  }
  await attempt.checkChain();
  let askedAt = await passGate(attempt, signal);
  signal.throwIfAborted();
  beginning.isClaimed = effect === 'at-most-once';
  const isOnce = effect === 'at-most-once';
  const isFirst = (!isOnce && attempt.undo === undefined) || (await claim(attempt, isOnce));
  if (!isFirst && attempt.undo !== undefined) {
    beginning.isClaimed = false;
    const came = await earlierOutcome(attempt, isOnce);
    if (came !== undefined && !('until' in came)) throw new DoneBefore(came);
  }
  const before = effect !== 'at-most-once' || !isFirst ? await attempt.storedResult() : undefined;
  if (before !== undefined) throw new DoneBefore(before);
  if (!isFirst && isOnce) {
    // Another attempt has claimed the effect and may still be running, so the effect may happen although this attempt failed.
    Object.assign(beginning, { begun: true, once: true });
    throw uncertain({ key: attempt.undo?.key ?? keyOf(attempt) }, UNSETTLED);
  }
  for (let asked = 1; asked < MAX_QUESTIONS && elapsedMs() - askedAt > FRESH_MS; asked += 1) {
    askedAt = await passGateAgain(attempt, signal, effect);
  }
  // If the attempt was cancelled before this point, the effect has not begun.
  await beginning.stopping;
  signal.throwIfAborted();
  // Later attempts must not compare the state that the capability read, since the effect itself will change it.
  if (effect === 'idempotent' && beginning.isLookedAt === true) await isOwnEntry(attempt, keyOf(attempt), {});
  Object.assign(beginning, { begun: true, isEffect: true, once: effect === 'at-most-once' });
}

/** The claim that an earlier attempt made, or that this attempt made before its effect failed. */
export interface Claimed {
  readonly key: string;
  readonly failure?: unknown;
  /** The random text of the claim; absent if the store's entry has none. */
  readonly claimToken?: string;
  /** The latest time at which the earlier attempt may still run, in milliseconds since 1970; 0 if unknown. */
  readonly until: number;
}

/** Time limit in ms for each computation of what an effect would change. */
const LOOK_MS = 30_000;

/**
 * Computes again what an effect would change.
 * @returns the state, if there is one; null if the effect has begun, since nobody compares it then
 * @throws Blocked if it differs from what people approved; a CapabilityError if the effect would fail
 */
export async function lookAgain(
  capability: Pick<Capability, 'name' | 'effect' | 'look'>,
  args: unknown,
  resource: string | undefined,
  attempt: EffectAttempt,
): Promise<string | undefined | null> {
  const { request, store, place } = attempt;
  const isSigned = attempt.prove !== undefined && capability.look !== undefined && capability.effect !== 'read';
  const { state = isSigned ? UNSEEN_STATE : undefined } = request;
  if (state === undefined) return undefined;
  for (let retry = 0; retry <= (request.retry ?? 0); retry += 1) {
    const entry = await entryJson(store, claimName(place, keyOf(attempt, retry)));
    if (isRecord(entry) && entry['supersededBy'] === undefined) return null;
  }
  attempt.beginning.isLookedAt = true;
  const signal = AbortSignal.any([attempt.signal, timeoutSignal(LOOK_MS)]);
  const { preview } = await takeLook(capability, args, resource === undefined ? [] : [resource], signal).catch(
    (error: unknown) => {
      attempt.signal.throwIfAborted();
      if (error instanceof CapabilityError && error.errorClass !== 'RETRIABLE') throw error;
      throw new Blocked(`${capability.name} could not look at what it changes: ${messageOf(error)}`, { lacks: 'look' });
    },
  );
  // The capability's preview has only a warning and no state, so there is nothing to compare.
  if (preview === undefined && state === UNSEEN_STATE) return undefined;
  if (preview === undefined)
    throw new Blocked(`${capability.name} shows nothing of what it changes`, { lacks: 'look' });
  if (preview.state !== state) throw new Blocked('people have not seen what it changes now', { seen: { preview } });
  return preview.state;
}

/**
 * Finds what an earlier attempt at an at-most-once effect left, or what another run left of the effect that this step
 * undoes. Called first, so that no other failure hides the effect.
 * @returns its result, or only its claim; undefined if no attempt has begun the effect
 * @throws Blocked if another run may be undoing the same
 */
export async function earlierOutcome(
  attempt: EffectAttempt,
  isOnce: boolean,
): Promise<(ResultHandle & Noted) | Claimed | undefined> {
  const { undo, request, beginning } = attempt;
  if (undo !== undefined) {
    const { isOwn, ...state } = await undo.state();
    const isOthers = state.is !== 'free' && !isOwn;
    if (isOthers) {
      beginning.begun = false;
      await attempt.checkUndo?.();
    }
    const before = isOthers ? await undo.takeOver(state) : isOnce && isOwn ? await attempt.storedResult() : undefined;
    if (before !== undefined) return before;
    if (isOthers && request.isOver !== true && state.is === 'open')
      throw new Blocked(`run ${runName(state.run!)} is undoing ${undo.about}`, { lacks: 'probe' });
    if (!isOnce || state.is === 'free' || (isOthers && request.isOver === true)) return undefined;
    await undo.note();
    Object.assign(beginning, { begun: true, once: true });
    const key = isOthers ? `${undo.key} by run ${runName(state.run!)}` : undo.key;
    return { key, until: state.until ?? 0, ...given({ claimToken: state.claimToken }) };
  }
  if (!isOnce) return undefined;
  const key = keyOf(attempt);
  const entry = await attempt.store.entry(claimName(attempt.place, key));
  if (entry === undefined) return undefined;
  Object.assign(attempt.beginning, { begun: true, once: true });
  const before = await attempt.storedResult();
  if (before !== undefined) return before;
  const found = jsonIn(entry);
  const { until = 0, token } = fits({ until: 'count?', token: 'name?' }, found) ? found : {};
  return { key, until, ...given({ claimToken: token }) };
}

async function passGate({ request: { work }, gate, prove }: EffectAttempt, signal: AbortSignal): Promise<number> {
  if (work === undefined)
    throw new RunFailureError('FATAL', 'the request names no work, so nobody can say whether it may begin');
  const { workflowExecution } = Context.current().info;
  if (workflowExecution === undefined) throw new RunFailureError('FATAL', 'there is no run that it belongs to');
  const word = await gate.ask(workflowExecution, work, signal);
  if (!word.ok) throw new Blocked(word.reason);
  await prove?.(word.tokens, word.figures);
  return word.askedAt;
}

/** Asks for permission again after the key is claimed. If the run refuses, a person must retry with a new key. */
async function passGateAgain(attempt: EffectAttempt, signal: AbortSignal, effect: Effect): Promise<number> {
  try {
    return await passGate(attempt, signal);
  } catch (error) {
    const isNotApproved = error instanceof RunFailureError && error.type === 'NotApproved';
    if (effect !== 'at-most-once' || !(error instanceof Blocked || isNotApproved)) throw error;
    // If the run moves to a new history, it waits for claimed effects, so this effect may begin.
    if (error.message === NEW_HISTORY) return elapsedMs();
    throw new NotApplied(`it was held back when its key was claimed already: ${error.message}; retry gives it another`);
  }
}

/**
 * Claims an at-most-once effect by a store entry with this attempt's token, so that only one attempt ever begins it,
 * even after a reset. A repetition also claims the earlier keys, since an abandoned attempt may still run.
 */
async function claim(attempt: EffectAttempt, isOnce: boolean): Promise<boolean> {
  const { request, undo } = attempt;
  const { base64TaskToken, startToCloseTimeoutMs } = Context.current().info;
  const until = Date.now() + startToCloseTimeoutMs;
  const earlier = undo === undefined ? (request.retry ?? 0) : 0;
  for (let retry = 0; retry < earlier; retry += 1) {
    await isOwnEntry(attempt, keyOf(attempt, retry), { supersededBy: request.retry });
  }
  const claimToken = randomBytes(TOKEN_BYTES).toString('base64url');
  const isFirst =
    undo === undefined
      ? await isOwnEntry(attempt, keyOf(attempt), { attempt: base64TaskToken, until, token: claimToken })
      : await undo.claim(isOnce ? { token: base64TaskToken, until, claimToken } : { until: 0 });
  if (isFirst && isOnce) Object.assign(attempt.beginning, { claimToken });
  if (isFirst && isOnce) await recordEffect(attempt.store, attempt.place, attempt.effectKey);
  return isFirst;
}

const TOKEN_BYTES = 24;

/** Writes an entry. @returns whether the store now has exactly this entry */
async function isOwnEntry({ store, place }: EffectAttempt, key: string, to: object): Promise<boolean> {
  const own = Buffer.from(JSON.stringify({ effect: key, ...to }), 'utf8');
  return own.equals(await store.enter(claimName(place, key), own));
}

export function keyOf({ place, binding, request }: EffectAttempt, retry = request.retry ?? 0): string {
  return idempotencyKey(place, binding, { retry });
}

export const UNSETTLED = 'nobody has said what came of it';

/** The failure of an at-most-once effect that may have happened. @param why the reason why nobody knows the outcome */
export function uncertain({ key, failure }: Pick<Claimed, 'key' | 'failure'>, why: string): Error {
  if (failure === undefined)
    return new RunFailureError('CRITICAL', `this effect was begun before under the key ${key}, and ${why}`);
  return why === UNSETTLED
    ? (failure as Error)
    : new RunFailureError('CRITICAL', `${messageOf(failure)}; ${why}`, { cause: failure });
}

export type RootOf = (run: AskedRun) => Promise<Root>;

const ANSWER_MS = 15_000;

export const rootByServer: RootOf = (run) => {
  const { connection, workflow } = getClient();
  return connection.withDeadline(Date.now() + ANSWER_MS, () => rootAtServer(workflow, run));
};

/** Finds the topmost run. @throws Blocked if the server does not answer now; the next attempt asks again */
export function rootOrBlocked(rootOf: RootOf, run: AskedRun | undefined): Promise<Root> {
  if (run === undefined) return Promise.resolve({ workflowId: '' });
  return rootOf(run).catch((error: unknown) => {
    throw new Blocked(`the server does not say for which run it works (${messageOf(error)})`);
  });
}

/**
 * Checks that the request belongs to the run that it names, since anybody may start a workflow that names any run.
 * @throws RunFailureError `NotApproved` if the server disagrees
 */
export async function checkChain(named: string, rootOf: () => Promise<Root>): Promise<void> {
  // The first execution of a run has the named id itself, so the server need not be asked.
  if (Context.current().info.workflowExecution?.runId === named) return;
  const { firstRunId = named } = await rootOf();
  if (firstRunId === named) return;
  throw new RunFailureError(
    'NotApproved',
    `its request names the run ${named}, and the server says that it works for ${firstRunId}; nothing was begun`,
  );
}
