/** Begins an effect above read: only with permission, and only once if it must not be repeated. */

import { Context, getClient } from '@temporalio/activity';
import { takeLook, UNSEEN_STATE } from '../capabilities/builtin/index.ts';
import { NotApplied, type Capability } from '../capabilities/index.ts';
import {
  fits,
  idempotencyKey,
  isRecord,
  NEW_HISTORY,
  type NodeRequest,
  type Noted,
  type ResultHandle,
  type SeenChange,
  type Usage,
  RunFailureError,
  timeoutSignal,
} from '../protocol/index.ts';
import type { Effect } from '../plan/index.ts';
import type { ResultStore } from '../store/index.ts';
import { claimName, noteBegun } from './finished.ts';
import { entryJson } from './stores.ts';
import type { EffectGate, AskedRun } from './gate.ts';
import { jsonIn, messageOf } from '../plan/text/index.ts';
import { rootAtServer, type Root } from '../protocol/executions.ts';

/** The run does not let the effect begin, or the work has spent its allowance. */
export class Blocked extends Error {
  override readonly name = 'Blocked';
  /** Present if it has spent its allowance, on these calls. */
  readonly spent?: Usage;
  /** Present if the worker sees something else than people have approved. */
  readonly seen?: SeenChange;
  /** Its capability cannot look at its target. */
  readonly isBlind?: true;
  constructor(reason: string, { spent, seen, isBlind }: Pick<Blocked, 'spent' | 'seen' | 'isBlind'> = {}) {
    super(reason);
    if (isBlind !== undefined) this.isBlind = isBlind;
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

/** Never throws: the error of a capability may be a proxy that refuses every question. */
function isOf(kind: typeof Blocked | typeof DoneBefore, error: unknown): boolean {
  try {
    return error instanceof kind;
  } catch {
    return false;
  }
}

/** Whether the capability was called. An earlier failure had no effect, and reports that. */
export interface Beginning {
  begun: boolean;
  /** The effect has begun and must not be repeated. */
  once?: boolean;
  /** An effect has begun: it is worth waiting for its end. */
  isEffect?: boolean;
  /** Its key is claimed, or is about to be. */
  isClaimed?: boolean;
  /** The attempt was asked to stop; settled once the reason is known. */
  stopping?: Promise<void>;
  /** Its run waits for it all the same. */
  goesOn?: boolean;
  /** The model calls so far, if the run has a budget. */
  usage?: () => Usage;
  /** Stores the report of the capability; undefined without one. */
  saveReport?: () => Promise<string | undefined>;
}

export interface EffectAttempt {
  readonly request: NodeRequest;
  readonly place: Parameters<typeof idempotencyKey>[0];
  /** The binding that the node is approved and done as, and the key of what it does. */
  readonly binding: string;
  readonly effectKey: string;
  readonly store: ResultStore;
  readonly gate: EffectGate;
  /** Present if messages are signed: throws unless these signed messages let the effect begin. */
  readonly prove?: ((tokens: readonly string[]) => Promise<void>) | undefined;
  /** Throws unless the server confirms the run that its request names. */
  readonly checkChain: () => Promise<void>;
  /** The result that this very node has in the store. */
  readonly kept: () => Promise<(ResultHandle & Noted) | undefined>;
  readonly beginning: Beginning;
  /** Asks it to stop. */
  readonly signal: AbortSignal;
}

/** A permission that is older when its effect begins, counted from the question, is asked for again. */
const FRESH_MS = 2000;
/** The most questions: if a run takes longer to answer than a permission is valid, its last answer counts. */
const MOST_ASKED = 3;

/**
 * Call it right before the capability; returns when the capability may be called.
 * @throws Blocked if the run does not allow it; DoneBefore if it is done; the reason of a cancellation; RunFailureError
 * if it had begun before
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
  const isFirst = effect !== 'at-most-once' || (await claim(attempt));
  const before = effect !== 'at-most-once' || !isFirst ? await attempt.kept() : undefined;
  if (before !== undefined) throw new DoneBefore(before);
  if (!isFirst) {
    // Another attempt has claimed it and may be running it, so neither the run nor a stop proves that it did not
    // happen.
    Object.assign(beginning, { begun: true, once: true });
    throw uncertain({ key: keyOf(attempt) }, UNSETTLED);
  }
  for (let asked = 1; asked < MOST_ASKED && performance.now() - askedAt > FRESH_MS; asked += 1) {
    askedAt = await passGateAgain(attempt, signal, effect);
  }
  // An effect that was cancelled before its begin has not begun.
  await beginning.stopping;
  signal.throwIfAborted();
  // Its own effect changes what it looks at: no later attempt looks again.
  if (effect === 'idempotent' && attempt.request.state !== undefined) await enterOnce(attempt, keyOf(attempt), {});
  Object.assign(beginning, { begun: true, isEffect: true, once: effect === 'at-most-once' });
}

/** The claim of an earlier attempt. */
export interface Claimed {
  readonly key: string;
  /** Until then that attempt may go on, in milliseconds since 1970; 0 if nobody knows. */
  readonly until: number;
}

/** All looks of one attempt. */
const LOOK_MS = 30_000;

/**
 * Looks at the target of an effect that has not begun, right before the run is asked.
 * @throws Blocked if people were shown another state, or if it cannot be seen
 */
export async function lookAgain(
  capability: Pick<Capability, 'name' | 'effect' | 'look'>,
  args: unknown,
  resource: string | undefined,
  attempt: EffectAttempt,
): Promise<void> {
  const { request, store, place } = attempt;
  if (request.state === undefined) return;
  for (let retry = 0; retry <= (request.retry ?? 0); retry += 1) {
    const entry = await entryJson(store, claimName(place, keyOf(attempt, retry)));
    if (isRecord(entry) && entry['supersededBy'] === undefined) return;
  }
  const signal = AbortSignal.any([attempt.signal, timeoutSignal(LOOK_MS)]);
  const { preview } = await takeLook(capability, args, resource === undefined ? [] : [resource], signal).catch(
    (error: unknown) => {
      attempt.signal.throwIfAborted();
      throw new Blocked(`${capability.name} could not look at what it changes: ${messageOf(error)}`, { isBlind: true });
    },
  );
  // It only warns, and shows no state.
  if (preview === undefined && request.state === UNSEEN_STATE) return;
  if (preview === undefined)
    throw new Blocked(`${capability.name} shows nothing of what it changes`, { isBlind: true });
  if (preview.state !== request.state)
    throw new Blocked('its target has changed since it was shown', { seen: { preview } });
}

/**
 * The result of an at-most-once effect that an earlier attempt has begun, or its claim if there is no result. Comes
 * before everything that may fail, to know if none has.
 * @returns undefined if no attempt has begun it
 */
export async function whatCameOf(attempt: EffectAttempt): Promise<(ResultHandle & Noted) | Claimed | undefined> {
  const key = keyOf(attempt);
  const entry = await attempt.store.entry(claimName(attempt.place, key));
  if (entry === undefined) return undefined;
  Object.assign(attempt.beginning, { begun: true, once: true });
  const before = await attempt.kept();
  if (before !== undefined) return before;
  const found = jsonIn(entry);
  return { key, until: fits({ until: 'count' }, found) ? found.until : 0 };
}

/** @returns when the question was sent */
async function passGate({ request: { work }, gate, prove }: EffectAttempt, signal: AbortSignal): Promise<number> {
  if (work === undefined)
    throw new RunFailureError('FATAL', 'the request names no work, so nobody can say whether it may begin');
  const { workflowExecution } = Context.current().info;
  if (workflowExecution === undefined) throw new RunFailureError('FATAL', 'there is no run that it belongs to');
  const word = await gate.ask(workflowExecution, work, signal);
  if (!word.ok) throw new Blocked(word.reason);
  await prove?.(word.tokens);
  return word.askedAt;
}

/** Its key is claimed. To begin it later needs another key, which it gets if a person repeats it. */
async function passGateAgain(attempt: EffectAttempt, signal: AbortSignal, effect: Effect): Promise<number> {
  try {
    return await passGate(attempt, signal);
  } catch (error) {
    const isNotApproved = error instanceof RunFailureError && error.type === 'NotApproved';
    if (effect !== 'at-most-once' || !(error instanceof Blocked || isNotApproved)) throw error;
    // What is claimed is waited for.
    if (error.message === NEW_HISTORY) return performance.now();
    throw new NotApplied(`it was held back when its key was claimed already: ${error.message}; retry gives it another`);
  }
}

/**
 * Only one attempt ever begins an at-most-once effect, even if a reset schedules its node again. The claim is an entry
 * of the store that only this attempt can have made; an existing one may be its own, if the reply was lost. A
 * repetition first takes the earlier keys away, since an attempt that was given up may still run.
 */
async function claim(attempt: EffectAttempt): Promise<boolean> {
  const { request } = attempt;
  const { base64TaskToken, startToCloseTimeoutMs } = Context.current().info;
  const until = Date.now() + startToCloseTimeoutMs;
  for (let retry = 0; retry < (request.retry ?? 0); retry += 1) {
    await enterOnce(attempt, keyOf(attempt, retry), { supersededBy: request.retry });
  }
  const isFirst = await enterOnce(attempt, keyOf(attempt), { attempt: base64TaskToken, until });
  if (isFirst) await noteBegun(attempt.store, attempt.place, attempt.effectKey);
  return isFirst;
}

/** Whether the entry of the key is just this. */
async function enterOnce({ store, place }: EffectAttempt, key: string, to: object): Promise<boolean> {
  const own = Buffer.from(JSON.stringify({ effect: key, ...to }), 'utf8');
  return own.equals(await store.enter(claimName(place, key), own));
}

export function keyOf({ place, binding, request }: EffectAttempt, retry = request.retry ?? 0): string {
  return idempotencyKey(place, binding, { retry });
}

export const UNSETTLED = 'nobody has said what came of it';

/** @param why nobody knows what came of it */
export function uncertain({ key }: Pick<Claimed, 'key'>, why: string): RunFailureError {
  return new RunFailureError('CRITICAL', `this effect was begun before under the key ${key}, and ${why}`);
}

export type RootOf = (run: AskedRun) => Promise<Root>;

/** The server's answer about the run that an agent's run works for, before an effect under `notStarter`. */
const ANSWER_MS = 15_000;

export const rootByServer: RootOf = (run) => {
  const { connection, workflow } = getClient();
  return connection.withDeadline(Date.now() + ANSWER_MS, () => rootAtServer(workflow, run));
};

/** If the server does not answer now, the next try of the effect asks again. @throws Blocked */
export function rootOrBlocked(rootOf: RootOf, run: AskedRun | undefined): Promise<Root> {
  if (run === undefined) return Promise.resolve({ workflowId: '' });
  return rootOf(run).catch((error: unknown) => {
    throw new Blocked(`the server does not say for which run it works (${messageOf(error)})`);
  });
}

/**
 * Whoever starts a workflow by hand may name any run in it.
 * @throws RunFailureError `NotApproved` if the server reports another root than the request names; what `rootOf` throws
 */
export async function checkChain(named: string, rootOf: () => Promise<Root>): Promise<void> {
  // The first execution of a run has the id itself.
  if (Context.current().info.workflowExecution?.runId === named) return;
  const { chain = named } = await rootOf();
  if (chain === named) return;
  throw new RunFailureError(
    'NotApproved',
    `its request names the run ${named}, and the server says that it works for ${chain}; nothing was begun`,
  );
}
