/** A revision: a plan with the resolved executor of each node. Activities refer to it by 43 characters. */

import {
  canonicalJson,
  decodePlan,
  keyWithGoal,
  type CompiledPlan,
  type NodeId,
  type PlanNode,
  findReferences,
  referencedStep,
  type JsonValue,
  type TaskNode,
} from '../plan/index.ts';
import { refOfDigest, StoreError, type ResultStore, runScope } from '../store/index.ts';
import { jsonIn } from '../plan/text/index.ts';
import { given, nodesIn, readsGoal, fits, nodeId, nodeIndex, RunFailureError, type Owner } from '../protocol/index.ts';
import { createHash } from 'node:crypto';

export interface Revision {
  readonly plan: CompiledPlan;
  /** The label of a node's approved executor (`executorLabel`); undefined if the node does not exist. */
  executorOf(nodeId: string): string | undefined;
  /** The node's identity for approval, reuse and result: its key, and the goal if the node reads the goal. */
  bindingOf(nodeId: string): string | undefined;
  /** Whether untrusted values reach a node, as the compile of the plan found out. */
  isReached(nodeId: string): boolean;
  isUntrusted(nodeId: string): boolean;
}

export interface Resolution {
  readonly digest: string;
  readonly labels: readonly string[];
  /** Item i is for node_{i+1}: an index into `labels`. */
  readonly labelOf: readonly number[];
  /** The nodes that untrusted values reach, and the nodes with an untrusted result, as ranges of indexes. */
  readonly reached?: string;
  readonly untrusted?: string;
}

export function resolutionBytes({ digest, labels, labelOf, reached, untrusted }: Resolution): Uint8Array {
  const marks = given({ reached, untrusted });
  return Buffer.from(canonicalJson({ digest, labels, labelOf, ...marks }), 'utf8');
}

/**
 * Reads the revision of a run that has started. If it is missing, the store is another one or an older copy. That is an
 * outage, not a failure of the node.
 */
export async function readRevision(store: ResultStore, ref: string): Promise<Revision> {
  try {
    const resolution = resolutionOf(await store.get(ref), ref, store);
    return revisionOf(await readPlan(store, resolution.digest), resolution);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'not-found') throw error;
    const message = `The result store at ${store.place} does not have the plan of this run: it is another store than the run began with, or a copy that is older. Give the workers the right one; if an encrypted one was copied back under them, start them again.`;
    const cause = Object.assign(new Error(error.message), { code: 'NO_PLAN' });
    throw new StoreError('unreadable', message, { cause });
  }
}

/** Reads a compiled plan. @throws RunFailureError `ResultCorrupt` if the store returns another plan */
export async function readPlan(store: ResultStore, digest: string): Promise<CompiledPlan> {
  const decoded = decodePlan(await store.get(refOfDigest(digest)));
  if (!decoded.ok) throw corrupt(`what ${store.place} keeps as plan ${digest} is none: ${decoded.message}`);
  // If a store does not verify contents, it could return another plan, which nobody approved.
  if (decoded.plan.digest !== digest) throw corrupt(`what ${store.place} keeps as plan ${digest} is another plan`);
  return decoded.plan;
}

export function revisionOf(
  plan: CompiledPlan,
  { labels, labelOf, reached = '', untrusted = '' }: Resolution,
): Revision {
  const executorOf = (id: string) => labels[labelOf[nodeIndex(id)] ?? -1];
  let bindings: readonly string[] | undefined;
  const [isReached, isUntrusted] = [reached, untrusted].map((ranges) => {
    let nodes: ReadonlySet<number> | undefined;
    return (id: string) => (nodes ??= new Set(nodesIn(ranges))).has(nodeIndex(id));
  }) as [Revision['isReached'], Revision['isUntrusted']];
  return {
    plan,
    executorOf,
    bindingOf: (id) => (bindings ??= bindingsOf(plan, executorOf))[nodeIndex(id)],
    isReached,
    isUntrusted,
  };
}

/** The nodes whose results a node uses, in order. For `A op A`, the same node is listed twice. */
export function inputsOf(node: PlanNode): readonly NodeId[] {
  return node.kind === 'combine' ? node.inputs : node.dependsOn;
}

/** Computes all identities in one pass. Inputs have smaller numbers, so whether they read the goal is already known. */
function bindingsOf(plan: CompiledPlan, executorOf: Revision['executorOf']): readonly string[] {
  const bindings: string[] = [];
  const withGoal: boolean[] = [];
  for (let index = 0; index < plan.tasks.length + plan.combines.length; index += 1) {
    const node = plan.nodesById[nodeId(index)]!;
    const inputs = inputsOf(node);
    // An unknown executor may read anything.
    const isGiven = readsGoal(executorOf(node.id) ?? '') || inputs.some((id) => withGoal[nodeIndex(id)]);
    withGoal.push(isGiven);
    bindings.push(isGiven ? keyWithGoal(node.key, plan.goal) : node.key);
  }
  return bindings;
}

const RESOLUTION = {
  digest: 'text',
  labels: ['text'],
  labelOf: ['count'],
  reached: 'text?',
  untrusted: 'text?',
} as const;

function resolutionOf(bytes: Uint8Array, ref: string, store: ResultStore): Resolution {
  const value = jsonIn(bytes);
  if (fits(RESOLUTION, value)) return value;
  throw corrupt(`what ${store.place} keeps as revision ${ref} is none`);
}

function corrupt(message: string): RunFailureError {
  return new RunFailureError('ResultCorrupt', message);
}

export interface RevisionCache {
  /** Loads a revision. Failed loads are not cached. @throws StoreError, RunFailureError `ResultCorrupt` */
  load(run: Owner, ref: string, store: ResultStore): Promise<Revision>;
}

/** Maximum number of nodes in the cache. A decoded node takes about 1 kB. */
const MAX_CACHED_NODES = 200_000;

/** Caches recently used revisions. @param read is for tests */
export function createRevisionCache(read = readRevision): RevisionCache {
  const cached = createCache(MAX_CACHED_NODES, ({ plan }: Revision) => plan.tasks.length + plan.combines.length);
  return { load: (run, ref, store) => cached(`${runScope(run)} ${ref}`, () => read(store, ref)) };
}

/** Caches recently used values up to a total size, but always at least one. Failed reads are not cached. */
export function createCache<Value>(max: number, sizeOf: (value: Value) => number) {
  const entries = new Map<string, { readonly value: Promise<Value>; size: number }>();
  return (key: string, read: () => Promise<Value>): Promise<Value> => {
    const entry = entries.get(key) ?? { value: read(), size: 0 };
    const isNew = !entries.delete(key);
    entries.set(key, entry);
    if (isNew)
      entry.value.then(
        (value) => fit(entry, sizeOf(value)),
        () => entries.delete(key),
      );
    return entry.value;
  };

  function fit(entry: { size: number }, size: number): void {
    entry.size = size;
    let sum = 0;
    for (const each of entries.values()) sum += each.size;
    for (const [key, each] of entries) {
      if (sum <= max || entries.size === 1) return;
      sum -= each.size;
      entries.delete(key);
    }
  }
}

/**
 * For each node, 16 characters that identify its effect: the capability with its version, the arguments (or else the
 * text), and the inputs. These keys approve nothing, so an accidental collision is harmless.
 */
export function effectKeysOf({ plan, executorOf }: Revision): readonly string[] {
  const keys: string[] = [];
  for (let index = 0; index < plan.tasks.length + plan.combines.length; index += 1) {
    const node = plan.nodesById[nodeId(index)]!;
    const inputs = inputsOf(node).map((id) => keys[nodeIndex(id)]!);
    const does =
      node.kind === 'combine'
        ? [node.operator, (node.colocate ?? null) as JsonValue]
        : [doneBy(node), (node.externalInputs ?? []).map((name) => node.externalRefs?.[name] ?? name)];
    keys.push(keyOf([executorOf(node.id) ?? '', inputs, ...does]));
  }
  return keys;

  function doneBy(node: TaskNode): JsonValue {
    let args: JsonValue = node.arguments ?? {};
    if (Object.keys(args as object).length === 0) return taskTexts(node);
    for (const { step, path, whole } of findReferences(args)) {
      const id = whole ? referencedStep(plan, step) : undefined;
      // A step inserted earlier changes step numbers, so the arguments get keys in their place.
      if (id !== undefined) args = replaceAt(args, path, { result: keys[nodeIndex(id)]! });
    }
    return args;
  }
}

/**
 * The key of an effect without its inputs. It finds effects that have begun, since a node with changed inputs still
 * repeats the effect. Without arguments, the task's text is part of the key.
 */
export function looseEffectKey({ executorOf }: Revision, node: TaskNode): string {
  const args: JsonValue = node.arguments ?? {};
  const key = keyOf([executorOf(node.id) ?? '', withoutSteps(args)]);
  return Object.keys(args as object).length > 0 ? key : `${key}.${keyOf(withoutSteps(taskTexts(node)))}`;
}

function withoutSteps(value: JsonValue): string {
  return canonicalJson(value).replaceAll(REFERENCES, 'result_from_step');
}

const REFERENCES = /result_from_step_[\p{L}\p{N}_-]+/gu;

/** The texts of a task. A hint counts as the description of its step. */
export function taskTexts({ task, hint, description, context }: TaskNode): readonly JsonValue[] {
  return [task, hint ?? description ?? null, context ?? null];
}

function keyOf(value: JsonValue): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 16);
}

/** Replaces the value at a path. Recursive; the compiler limits the depth of values. */
export function replaceAt(value: JsonValue, path: readonly (string | number)[], by: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value)) return value.map((one: JsonValue, at) => (at === key ? replaceAt(one, rest, by) : one));
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  return Object.fromEntries(entries.map(([name, one]) => [name, name === key ? replaceAt(one, rest, by) : one]));
}
