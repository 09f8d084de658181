/**
 * The one table of results of finished nodes: values kept under names in a store, so that no finished work is lost with its
 * run. Anybody who can write to the store can write to it; entries are checked when they are read.
 */

import { createHash } from 'node:crypto';
import {
  HANDLE,
  idInEachRun,
  isRecord,
  ownedBy,
  problemOf,
  type Fields,
  type Owner,
  type ResultHandle,
} from '../protocol/index.ts';
import { jsonIn } from '../plan/text/index.ts';
import { decodeResult, StoreError, type ResultStore } from '../store/index.ts';

export type RunPlace = Owner;

/** A finished node. */
export interface Finished {
  readonly handle: ResultHandle;
  /** The executor that carried it out, as it was approved (`executorLabel`). */
  readonly executor: string;
  /** References of the results it was given; absent for an answer of a person. */
  readonly inputs?: readonly string[];
  /** The notes on its result. */
  readonly notes?: readonly string[];
  /** How often a person had had it repeated. */
  readonly retry: number;
  /** ISO 8601. */
  readonly at: string;
}

/** Ids are data: as a hash they lead nowhere in a store that makes paths of names, and two never meet in one name. */
function named(kind: string, { namespace, workflowId, chain }: RunPlace, ...more: readonly string[]): string {
  const text = JSON.stringify([namespace, workflowId, chain, ...more]);
  return `${kind}/${createHash('sha256').update(text).digest('hex')}`;
}

/** @param binding what the node is approved and done as: its key and, where it is given it, the goal */
const doneName = (place: RunPlace, binding: string) => named('done', place, binding);
export const planName = (place: RunPlace) => named('plan', place);
/** Bound to the one run that goes on from a closed one, and the other way round. */
export const heirName = (place: RunPlace) => named('heir', place);
export const parentName = (place: RunPlace) => named('parent', place);
/** What the two are bound to, beside their owner. */
export const linkTo = ({ workflowId, chain }: RunPlace) => ({ run: workflowId, chain });

/** The run that a link leads to. */
export function runIn(value: unknown, { namespace }: Pick<RunPlace, 'namespace'>): RunPlace | undefined {
  if (problemOf({ run: 'text', chain: 'name' }, value) !== undefined) return undefined;
  const { run: workflowId, chain } = value as { readonly run: string; readonly chain: string };
  return { namespace, workflowId, chain };
}

/** Where the runs of a workflow id are noted that had a plan. */
const chainsName = (place: RunPlace) => named('chains', { ...place, chain: '' });
/**
 * Where it is noted that an at-most-once effect has begun, for all runs of a workflow id. @param effect its key without inputs
 */
const begunName = (place: RunPlace, effect: string) =>
  named('begun', { ...place, workflowId: idInEachRun(place), chain: '' }, effect);
/** Bound by the one attempt that begins an effect. */
export const claimName = (idempotencyKey: string) => `effect/${idempotencyKey}`;

/**
 * Keeps a finished node. Another result for the same node makes it disputed, since it cannot be told here which of them the
 * run has taken.
 * @throws StoreError
 */
export async function keepFinished(
  store: ResultStore,
  place: RunPlace,
  binding: string,
  finished: Finished,
): Promise<void> {
  await store.keep(doneName(place, binding), jsonBytes({ ...finished, ...ownedBy(place) }));
}

/**
 * The earliest result of a node of a run; undefined where it has not finished there, `malformed` where what is kept is no such
 * thing. It is disputed where the values kept differ in their results.
 * @throws StoreError `unreadable`, and `corrupt` where one was changed or may be lost
 */
export async function findFinished(
  store: ResultStore,
  place: RunPlace,
  binding: string,
): Promise<(Finished & { readonly isDisputed: boolean }) | 'malformed' | undefined> {
  const kept = await store.kept(doneName(place, binding));
  if (kept.length === 0) return undefined;
  const all = kept.flatMap((value) => readFinished(jsonIn(value)) ?? []);
  const [first] = all.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  if (first === undefined) return 'malformed';
  const isDisputed = all.some(({ handle }) => handle.ref !== first.handle.ref);
  return { ...first, isDisputed };
}

/** Whether a handle names a result that is there and is what the handle says. It is there to stay then: storing it renews its age. */
export async function isResultThere(store: ResultStore, { ref, kind, bytes }: ResultHandle): Promise<boolean> {
  const found = await bytesAt(store, ref);
  if (found?.length !== bytes) return false;
  const decoded = decodeResult(found);
  if (!decoded.ok || decoded.result.kind !== kind) return false;
  await store.put(found);
  return true;
}

/** A run of a workflow id, by its chain, and when it was noted (ISO 8601). */
export interface NotedChain {
  readonly chain: string;
  readonly since: string;
}

/** The runs of a workflow id that had a plan, the newest first. */
export function chainsOf(store: ResultStore, place: RunPlace): Promise<readonly NotedChain[]> {
  return notedUnder(store, chainsName(place));
}

/** Whether a signed start, by its signature, is that of this run: the first that shows it has it for good. */
export async function bindStart(store: ResultStore, place: RunPlace, signature: string): Promise<boolean> {
  const { namespace, chain } = place;
  const name = named('start', { namespace, workflowId: '', chain: '' }, signature);
  const bound = await bindJson(store, name, { chain, ...ownedBy(place) });
  return isRecord(bound) && bound['chain'] === chain;
}

export async function noteBegun(store: ResultStore, place: RunPlace, effect: string): Promise<void> {
  await noteUnder(store, begunName(place, effect), place);
}

/** The runs of this workflow id in which the effect has begun, the last first. */
export function begunOf(store: ResultStore, place: RunPlace, effect: string): Promise<readonly NotedChain[]> {
  return notedUnder(store, begunName(place, effect));
}

async function noteUnder(store: ResultStore, name: string, place: RunPlace): Promise<void> {
  await store.keep(name, jsonBytes({ chain: place.chain, since: new Date().toISOString(), ...ownedBy(place) }));
}

async function notedUnder(store: ResultStore, name: string): Promise<readonly NotedChain[]> {
  const noted = (await store.kept(name))
    .map(jsonIn)
    .filter((value): value is NotedChain => problemOf(NOTED, value) === undefined);
  return noted.toSorted((one, other) => Date.parse(other.since) - Date.parse(one.since));
}

const NOTED = { chain: 'name', since: 'time' } satisfies Fields<NotedChain>;

/** Notes the first plan of a run. */
export async function notePlan(store: ResultStore, place: RunPlace, ref: string): Promise<void> {
  await bindJson(store, planName(place), { plan: ref, ...ownedBy(place) });
  await noteUnder(store, chainsName(place), place);
}

/** The reference of the first plan of a run; undefined where the store knows of none. */
export async function planOf(store: ResultStore, place: RunPlace): Promise<string | undefined> {
  const noted = await boundJson(store, planName(place));
  return isRecord(noted) && typeof noted['plan'] === 'string' ? noted['plan'] : undefined;
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
  return bytes && jsonIn(bytes);
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
  'notes?': ['text'],
  retry: 'count',
  at: 'time',
} satisfies Fields<Finished>;

/** Undefined for anything but a finished node. */
export function readFinished(value: unknown): Finished | undefined {
  return problemOf(FINISHED, value) === undefined ? (value as Finished) : undefined;
}
