/**
 * What a run has done, as entries in the store, which survive the workflow's history. Anyone with access to the store
 * can write them, so readers validate them. <self>/done/<binding>-<inputs> a finished node; the name of an effect ends
 * with `-effect` <self>/begun/<key> an at-most-once effect that has begun, by its idempotency key
 * <self>/undone/<binding>-<n> the run that undoes an effect of this run (`undo-claim.ts`) <self>/effects/<effect> the
 * same effect by what it does, for other runs of the workflow id <self>/shown/<plan> what the effects of the plan would
 * change, as people saw it <self>/plan, parent the first plan of the run, and the run that it continues <self>/next,
 * next-1, ... the run that continues this one; next-1 if that run began nothing run, family/<hash> the ids of the run
 * and its agents, for upkeep
 */

import type { Owner } from '../protocol/ids.ts';
import {
  chainDigits,
  eachOf,
  HANDLE,
  isRecord,
  maybe,
  PREVIEW,
  type Preview,
  type ResultHandle,
  fits,
  typed,
  type Of,
} from '../protocol/index.ts';
import { jsonIn } from '../plan/text/index.ts';
import { decodeResult, hashOf, inParallel, selfIn, type Piece, type Result, type ResultStore } from '../store/index.ts';
import { type Stores, jsonPiece, enterJson, entryJson, unlessAway } from './stores.ts';

/**
 * The node that did an effect. A run that reuses the result copies this entry, so the effect has one name everywhere.
 */
const DONE_BY = { workflowId: 'text', firstRunId: 'name', revision: 'ref', node: 'node', binding: 'name' } as const;

const FINISHED = {
  handle: typed<ResultHandle>(HANDLE),
  executor: 'text',
  /** References of the node's inputs; absent for a person's answer. */
  inputs: maybe(['ref']),
  notes: maybe(['text']),
  retry: 'count',
  at: 'time',
  /** Present for an effect. */
  by: maybe(DONE_BY),
} as const;

export interface Finished extends Of<typeof FINISHED> {}

export type FinishedEffect = Finished & { readonly by: Of<typeof DONE_BY> };

const doneAs = (place: Owner, binding: string) => `${selfIn(place)}/done/${hashOf(binding)}-`;

export const planName = (place: Owner) => `${selfIn(place)}/plan`;

/**
 * The name of the entry for the run which reuses this one. `before`: how many runs before it were to reuse this one and
 * began nothing.
 */
export const nextName = (place: Owner, before = 0) => `${selfIn(place)}/next${before === 0 ? '' : `-${before}`}`;

export const parentName = (place: Owner) => `${selfIn(place)}/parent`;

/** The name of the entry that says which attempt may begin an effect. */
export const claimName = (place: Owner, idempotencyKey: string) => `${selfIn(place)}/begun/${hashOf(idempotencyKey)}`;

const effectName = (place: Owner, effect: string) => `${selfIn(place)}/effects/${hashOf(effect)}`;

export const linkTo = ({ workflowId, firstRunId }: Owner) => ({ run: workflowId, firstRunId });

/** Reads the run from a link entry; undefined if the link is malformed. */
export function runIn(value: unknown, { namespace }: Pick<Owner, 'namespace'>): Owner | undefined {
  if (!fits({ run: 'text', firstRunId: 'name' }, value)) return undefined;
  return { namespace, workflowId: value.run, firstRunId: value.firstRunId };
}

/** What identifies an execution of a node, besides the node. */
export type Done = Pick<Finished, 'executor' | 'inputs' | 'retry'>;

/** The name of a node's entry. @param binding the node's identity: its key and, if the node reads the goal, the goal */
export function doneName(place: Owner, binding: string, { executor, inputs, retry }: Done): string {
  const name = doneAs(place, binding) + hashOf(JSON.stringify([executor, inputs ?? null, retry]));
  return isEffect(executor) ? name + EFFECT_ENDING : name;
}

const EFFECT_ENDING = '-effect';

/** Whether the executor with this label has an effect. An agent has none, since its own run has the effects. */
export function isEffect(label: string): boolean {
  return /^capability .* (?:idempotent|at-most-once)(?: |$)/s.test(label);
}

export async function finishedEffects(store: ResultStore, place: Owner): Promise<readonly FinishedEffect[]> {
  const names = (await store.names(`${selfIn(place)}/done/`)).filter((name) => name.endsWith(EFFECT_ENDING));
  const all = await inParallel(AT_ONCE, names, async (name) => readFinished(await entryJson(store, name)));
  return all.filter((one): one is FinishedEffect => one?.by !== undefined);
}

const AT_ONCE = 16;

/** Stores a finished node. @returns the entry in the store: of two different results, the first counts */
export async function storeFinished(
  store: ResultStore,
  place: Owner,
  binding: string,
  finished: Finished,
  bytes?: Uint8Array,
): Promise<Finished> {
  const entry = jsonPiece(doneName(place, binding, finished), finished);
  const first = readFinished(jsonIn((await store.putAtOnce(bytes ? [[bytes], entry] : [entry])).at(-1)!));
  if (first === undefined || first.handle.ref === finished.handle.ref) return first ?? finished;
  return (await resultAt(store, first.handle)) ? first : finished;
}

/**
 * Finds a finished node by executor, inputs and retries; undefined if missing or invalid.
 * @throws StoreError `unreadable`
 */
export async function findSameFinished(
  store: ResultStore,
  place: Owner,
  binding: string,
  done: Done,
): Promise<Finished | undefined> {
  const found = readFinished(await entryJson(store, doneName(place, binding, done)));
  return found && (await resultAt(store, found.handle)) && found;
}

/** Finds the last result of a node in a run, whatever its inputs were. @throws StoreError `unreadable` */
export async function findFinished(
  store: ResultStore,
  place: Owner,
  binding: string,
): Promise<Finished | 'malformed' | undefined> {
  const names = await store.names(doneAs(place, binding));
  if (names.length === 0) return undefined;
  const all = await Promise.all(names.map(async (name) => readFinished(await entryJson(store, name))));
  const found = all.filter((one) => one !== undefined);
  const [last] = found.toSorted((a, b) => b.retry - a.retry || Date.parse(b.at) - Date.parse(a.at));
  return last ?? 'malformed';
}

/** The names of a run's finished nodes, with their inputs. Equal names mean equal work, in any run. */
export async function doneNames(store: ResultStore, place: Owner): Promise<readonly string[]> {
  const from = `${selfIn(place)}/done/`;
  return (await store.names(from)).map((name) => name.slice(from.length));
}

export function effectNames(store: ResultStore, place: Owner): Promise<readonly string[]> {
  return store.names(`${selfIn(place)}/effects/`);
}

/** Reads a result; undefined if it is missing or does not match the handle. */
export async function resultAt(
  store: ResultStore,
  { ref, kind, bytes }: ResultHandle,
): Promise<{ readonly stored: Uint8Array; readonly result: Result } | undefined> {
  const stored = await store.get(ref).catch(unlessAway);
  if (stored?.length !== bytes) return undefined;
  const decoded = decodeResult(stored);
  return decoded.ok && decoded.result.kind === kind ? { stored, result: decoded.result } : undefined;
}

/** A run of a workflow id: the id of its first execution, and the time of its entry (ISO 8601). */
export interface NotedChain {
  readonly firstRunId: string;
  readonly since: string;
}

async function entriesOfRuns(
  stores: Stores,
  place: Owner,
  chains: readonly string[],
  nameOf: (run: Owner) => string,
): Promise<readonly NotedChain[]> {
  const found = await Promise.all(
    chains.map(async (firstRunId) => {
      const run = { ...place, workflowId: inChain(place, firstRunId), firstRunId };
      const value = await entryJson(stores.of(run), nameOf(run));
      return fits({ since: 'time' }, value) ? [{ firstRunId, since: value.since }] : [];
    }),
  );
  return found.flat().toSorted((one, other) => Date.parse(other.since) - Date.parse(one.since));
}

function inChain({ workflowId, firstRunId }: Owner, other: string): string {
  return workflowId.replace(`.${chainDigits(firstRunId)}.`, `.${chainDigits(other)}.`);
}

export async function chainsOf(stores: Stores, place: Owner): Promise<readonly NotedChain[]> {
  return entriesOfRuns(stores, place, await stores.chains(place), planName);
}

export async function recordEffect(store: ResultStore, place: Owner, effect: string): Promise<void> {
  await enterJson(store, effectName(place, effect), { since: new Date().toISOString() });
}

/** Of several runs with one workflow id: those in which the effect has begun, newest first. */
export function runsWithEffect(
  stores: Stores,
  place: Owner,
  chains: readonly string[],
  effect: string,
): Promise<readonly NotedChain[]> {
  return entriesOfRuns(stores, place, chains, (run) => effectName(run, effect));
}

export function planNote(place: Owner, ref: string): Piece {
  return jsonPiece(planName(place), { plan: ref, since: new Date().toISOString() });
}

export async function notedPlan(store: ResultStore, place: Owner): Promise<string | undefined> {
  const found = await entryJson(store, planName(place));
  return isRecord(found) && typeof found['plan'] === 'string' ? found['plan'] : undefined;
}

export function readFinished(value: unknown): Finished | undefined {
  return fits(FINISHED, value) ? value : undefined;
}

/** The previews that the run computed first. After a reset the approval must still match what people saw then. */
export async function previewsOnce(
  store: ResultStore,
  place: Owner,
  plan: string,
  previews: Readonly<Record<number, Preview>>,
): Promise<Readonly<Record<number, Preview>>> {
  const first = await enterJson(store, `${selfIn(place)}/shown/${hashOf(plan)}`, previews);
  return fits(PREVIEWS, first) ? { ...previews, ...first } : previews;
}

const PREVIEWS = eachOf(typed<Preview>(PREVIEW));
