/**
 * What a run has done, in its part of the store, so that no finished work is lost with its history. Anybody who can write to the
 * store can write to it; entries are checked when they are read.
 *
 *   <self>/done/<binding>-<inputs>   a finished node
 *   <self>/begun/<key>               an at-most-once effect that has begun, by its idempotency key
 *   <self>/effects/<effect>          the same by what it does, for the other runs of the workflow id
 *   <self>/shown/<plan>              what its effects would change, as people were shown it
 *   <self>/plan, parent              its first plan, the run that it goes on from
 *   <self>/next, next-1, ...         the run that goes on from it, if those named before began nothing
 *   run, family/<hash>               the ids of the run and of its agents, for upkeep
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
import { decodeResult, hashOf, selfIn, type Piece, type Result, type ResultStore } from '../store/index.ts';
import { type Stores, jsonPiece, enterJson, entryJson, unlessAway } from './stores.ts';

const FINISHED = {
  handle: typed<ResultHandle>(HANDLE),
  /** The executor that carried it out, as it was approved (`executorLabel`). */
  executor: 'text',
  /** References of its inputs; absent for a person's answer. */
  inputs: maybe(['ref']),
  /** The notes on its result. */
  notes: maybe(['text']),
  /** How often a person had had it repeated. */
  retry: 'count',
  /** ISO 8601. */
  at: 'time',
} as const;

/** A finished node. */
export interface Finished extends Of<typeof FINISHED> {}

const doneAs = (place: Owner, binding: string) => `${selfIn(place)}/done/${hashOf(binding)}-`;

export const planName = (place: Owner) => `${selfIn(place)}/plan`;

/**
 * Names the run that reuses a closed one; `before` counts earlier ones that began nothing. The entry is bound to that
 * run and back.
 */
export const nextName = (place: Owner, before = 0) => `${selfIn(place)}/next${before === 0 ? '' : `-${before}`}`;

export const parentName = (place: Owner) => `${selfIn(place)}/parent`;

/** Entered by the one attempt that begins an effect. */
export const claimName = (place: Owner, idempotencyKey: string) => `${selfIn(place)}/begun/${hashOf(idempotencyKey)}`;

const effectName = (place: Owner, effect: string) => `${selfIn(place)}/effects/${hashOf(effect)}`;

/** What the two are bound to. */
export const linkTo = ({ workflowId, chain }: Owner) => ({ run: workflowId, chain });

/** The run that a link leads to. */
export function runIn(value: unknown, { namespace }: Pick<Owner, 'namespace'>): Owner | undefined {
  if (!fits({ run: 'text', chain: 'name' }, value)) return undefined;
  return { namespace, workflowId: value.run, chain: value.chain };
}

/** The node as it was carried out, as it is found again. */
export type Done = Pick<Finished, 'executor' | 'inputs' | 'retry'>;

/**
 * The name of a node's result, with these inputs and this executor. @param binding the node's identity: its key and, if
 * it reads the goal, the goal
 */
export function doneName(place: Owner, binding: string, { executor, inputs, retry }: Done): string {
  return doneAs(place, binding) + hashOf(JSON.stringify([executor, inputs ?? null, retry]));
}

/**
 * Stores a finished node.
 * @param bytes its result, if the store does not have it
 * @returns the entry in the store: if two attempts have two results, the first one that is there counts
 * @throws StoreError
 */
export async function keepFinished(
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

/** The finished node; undefined if there is none, or the entry is invalid. @throws StoreError `unreadable` */
export async function finishedAs(
  store: ResultStore,
  place: Owner,
  binding: string,
  done: Done,
): Promise<Finished | undefined> {
  const found = readFinished(await entryJson(store, doneName(place, binding, done)));
  return found && (await resultAt(store, found.handle)) && found;
}

/** The last result of a node of a run, with any inputs. @throws StoreError `unreadable` */
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

/** What a run has done, by the names of its nodes with their inputs. Equal names mean equal work in every run. */
export async function doneNames(store: ResultStore, place: Owner): Promise<readonly string[]> {
  const from = `${selfIn(place)}/done/`;
  return (await store.names(from)).map((name) => name.slice(from.length));
}

/** The at-most-once effects that a run has begun. */
export function effectNames(store: ResultStore, place: Owner): Promise<readonly string[]> {
  return store.names(`${selfIn(place)}/effects/`);
}

/** A result and its bytes; undefined if they are missing, or differ from the handle. */
export async function resultAt(
  store: ResultStore,
  { ref, kind, bytes }: ResultHandle,
): Promise<{ readonly stored: Uint8Array; readonly result: Result } | undefined> {
  const stored = await store.get(ref).catch(unlessAway);
  if (stored?.length !== bytes) return undefined;
  const decoded = decodeResult(stored);
  return decoded.ok && decoded.result.kind === kind ? { stored, result: decoded.result } : undefined;
}

/** A run of a workflow id, by its chain, and when it was noted (ISO 8601). */
export interface NotedChain {
  readonly chain: string;
  readonly since: string;
}

/** The runs of a workflow id that have an entry of this name, the newest first. */
async function noted(
  stores: Stores,
  place: Owner,
  chains: readonly string[],
  nameOf: (run: Owner) => string,
): Promise<readonly NotedChain[]> {
  const found = await Promise.all(
    chains.map(async (chain) => {
      const run = { ...place, workflowId: inChain(place, chain), chain };
      const value = await entryJson(stores.of(run), nameOf(run));
      return fits({ since: 'time' }, value) ? [{ chain, since: value.since }] : [];
    }),
  );
  return found.flat().toSorted((one, other) => Date.parse(other.since) - Date.parse(one.since));
}

/** The id of an agent in another run of the id. */
function inChain({ workflowId, chain }: Owner, other: string): string {
  return workflowId.replace(`.${chainDigits(chain)}.`, `.${chainDigits(other)}.`);
}

/** The runs of a workflow id that had a plan, the newest first. */
export async function chainsOf(stores: Stores, place: Owner): Promise<readonly NotedChain[]> {
  return noted(stores, place, await stores.chains(place), planName);
}

export async function noteBegun(store: ResultStore, place: Owner, effect: string): Promise<void> {
  await enterJson(store, effectName(place, effect), { since: new Date().toISOString() });
}

/** The runs of these (all of one workflow id) in which the effect has begun, the last first. */
export function begunOf(
  stores: Stores,
  place: Owner,
  chains: readonly string[],
  effect: string,
): Promise<readonly NotedChain[]> {
  return noted(stores, place, chains, (run) => effectName(run, effect));
}

/** Notes the first plan of a run. */
export function planNote(place: Owner, ref: string): Piece {
  return jsonPiece(planName(place), { plan: ref, since: new Date().toISOString() });
}

/** The reference of the first plan of a run; undefined if the store has none. */
export async function notedPlan(store: ResultStore, place: Owner): Promise<string | undefined> {
  const found = await entryJson(store, planName(place));
  return isRecord(found) && typeof found['plan'] === 'string' ? found['plan'] : undefined;
}

/** Undefined for anything but a finished node. */
export function readFinished(value: unknown): Finished | undefined {
  return fits(FINISHED, value) ? value : undefined;
}

/**
 * The previews of a plan as this run compiled it first, so that after a reset an approval still covers what people were
 * shown.
 */
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
