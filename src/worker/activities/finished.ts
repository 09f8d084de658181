/**
 * The one table of results of finished nodes: names in a store, each bound once, so that no finished work is lost with
 * its run. Anybody who can write to the store can write to it; entries are checked when they are read.
 */

import { createHash } from 'node:crypto';
import { eachOf, HANDLE, problemOf, type Fields, type ResultHandle } from '../../wire/contract/index.ts';
import { decodeResult, StoreError, type ResultStore } from '../../wire/results/index.ts';

/** The place of a run: its id is unique in its namespace only. */
export interface RunPlace {
  readonly namespace: string;
  readonly workflowId: string;
}

/** A finished node. */
export interface Finished {
  readonly handle: ResultHandle;
  /** The executor that carried it out, as it was approved (`executorLabel`). */
  readonly executor: string;
  /** References of the results it was given; absent for an answer of a person. */
  readonly inputs?: readonly string[];
  /** References of the external context of its plan, by key. */
  readonly external: Readonly<Record<string, string>>;
  /** How often a person had had it repeated. */
  readonly retry: number;
  /** ISO 8601. */
  readonly at: string;
}

/** Ids are data: as a hash they lead nowhere in a store that makes paths of names, and two never meet in one name. */
function named(kind: string, { namespace, workflowId }: RunPlace, ...more: readonly string[]): string {
  const text = JSON.stringify([namespace, workflowId, ...more]);
  return `${kind}/${createHash('sha256').update(text).digest('hex')}`;
}

/** @param binding what the node is approved and done as: its key and, where it is given it, the goal */
const doneName = (place: RunPlace, binding: string) => named('done', place, binding);
const disputedName = (place: RunPlace, binding: string) => named('disputed', place, binding);
/** Bound to the first plan of a run. */
export const planName = (place: RunPlace) => named('plan', place);
/** Bound to the one run that goes on from a closed one, and the other way round. */
export const heirName = (place: RunPlace) => named('heir', place);
export const parentName = (place: RunPlace) => named('parent', place);
/** Bound by the one attempt that begins an effect. */
export const claimName = (idempotencyKey: string) => `effect/${idempotencyKey}`;

/**
 * Binds a finished node. The first result stays; another one for the same node makes it disputed, since it cannot be
 * told here which of them the run has taken.
 * @throws StoreError
 */
export async function keepFinished(
  store: ResultStore,
  place: RunPlace,
  binding: string,
  finished: Finished,
): Promise<void> {
  const ref = await store.put(jsonBytes(finished));
  const first = await store.bind(doneName(place, binding), ref);
  if (first === ref) return;
  const kept = readFinished(await readJson(store, first));
  if (kept?.handle.ref !== finished.handle.ref) await store.bind(disputedName(place, binding), ref);
}

/**
 * The result of a node of a run; undefined where it has not finished there, `malformed` where the bound value is no
 * such thing.
 * @throws StoreError `unreadable`
 */
export async function findFinished(
  store: ResultStore,
  place: RunPlace,
  binding: string,
): Promise<(Finished & { readonly isDisputed: boolean }) | 'malformed' | undefined> {
  const ref = await store.bound(doneName(place, binding));
  if (ref === undefined) return undefined;
  const finished = readFinished(await readJson(store, ref));
  if (finished === undefined) return 'malformed';
  return { ...finished, isDisputed: (await store.bound(disputedName(place, binding))) !== undefined };
}

/** Whether a handle names a result that is there and is what the handle says. */
export async function isResultThere(store: ResultStore, { ref, kind, bytes }: ResultHandle): Promise<boolean> {
  const found = await bytesAt(store, ref);
  if (found?.length !== bytes) return false;
  const decoded = decodeResult(found);
  return decoded.ok && decoded.result.kind === kind;
}

/** Binds a name to this value; gives what it is bound to afterwards, undefined where that is no JSON. */
export async function bindJson(store: ResultStore, name: string, value: object): Promise<unknown> {
  const own = await store.put(jsonBytes(value));
  const bound = await store.bind(name, own);
  return bound === own ? value : readJson(store, bound);
}

export async function boundJson(store: ResultStore, name: string): Promise<unknown> {
  const ref = await store.bound(name);
  return ref === undefined ? undefined : readJson(store, ref);
}

async function readJson(store: ResultStore, ref: string): Promise<unknown> {
  const bytes = await bytesAt(store, ref);
  try {
    return bytes === undefined ? undefined : JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A store that cannot be read is a fault to be waited out; a result that is missing, or was changed, is an answer. */
async function bytesAt(store: ResultStore, ref: string): Promise<Uint8Array | undefined> {
  try {
    return await store.get(ref);
  } catch (error) {
    if (error instanceof StoreError && error.code !== 'unreadable') return undefined;
    throw error;
  }
}

function jsonBytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

const FINISHED = {
  handle: HANDLE,
  executor: 'text',
  'inputs?': ['ref'],
  external: eachOf('ref'),
  retry: 'count',
  at: 'time',
} satisfies Fields<Finished>;

/** Undefined for anything but a finished node. */
export function readFinished(value: unknown): Finished | undefined {
  return problemOf(FINISHED, value) === undefined ? (value as Finished) : undefined;
}
