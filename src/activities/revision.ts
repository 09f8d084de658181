/**
 * A revision: a plan with the resolved executor of each node. It is stored beside the plan. Every node's activity names
 * it in 43 characters, so that the history does not repeat digests and names.
 */

import {
  canonicalJson,
  decodePlan,
  keyWithGoal,
  type CompiledPlan,
  type NodeId,
  type PlanNode,
} from '../plan/index.ts';
import { refOfDigest, StoreError, type ResultStore, runScope } from '../store/index.ts';
import { jsonIn } from '../plan/text/index.ts';
import { isGivenGoal, isRecord, nodeId, nodeIndex, RunFailureError, type Owner } from '../protocol/index.ts';

export interface Revision {
  readonly plan: CompiledPlan;
  /** The label of what was approved to carry out a node (`executorLabel`); undefined for a node that is not there. */
  executorOf(nodeId: string): string | undefined;
  /**
   * The node's identity for approval, reuse and result: its key, and the goal if the node or anything below it reads
   * the goal. It covers everything that `execute` gets.
   */
  bindingOf(nodeId: string): string | undefined;
}

export interface Resolution {
  readonly digest: string;
  readonly labels: readonly string[];
  /** Column i belongs to node_{i+1}: an index into `labels`. */
  readonly labelOf: readonly number[];
}

export function resolutionBytes({ digest, labels, labelOf }: Resolution): Uint8Array {
  return Buffer.from(canonicalJson({ digest, labels, labelOf }), 'utf8');
}

/**
 * The revision of a run that has started: it stood in the store of its workers, so that a store without it is another one, or a
 * copy that is older than the run. That is a fault to be waited out, and no failure of a node.
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

/** The plan with this digest. Throws `ResultCorrupt` if the store returns anything else. */
export async function readPlan(store: ResultStore, digest: string): Promise<CompiledPlan> {
  const decoded = decodePlan(await store.get(refOfDigest(digest)));
  if (!decoded.ok) throw corrupt(`what ${store.place} keeps as plan ${digest} is none: ${decoded.message}`);
  // A store without checks could return another plan, which nobody approved.
  if (decoded.plan.digest !== digest) throw corrupt(`what ${store.place} keeps as plan ${digest} is another plan`);
  return decoded.plan;
}

export function revisionOf(plan: CompiledPlan, { labels, labelOf }: Resolution): Revision {
  const executorOf = (id: string) => labels[labelOf[nodeIndex(id)] ?? -1];
  let bindings: readonly string[] | undefined;
  return {
    plan,
    executorOf,
    bindingOf: (id) => (bindings ??= bindingsOf(plan, executorOf))[nodeIndex(id)],
  };
}

/** The nodes whose results a node takes, in order; the same twice for `A op A`. */
export function inputsOf(node: PlanNode): readonly NodeId[] {
  return node.kind === 'combine' ? node.inputs : node.dependsOn;
}

/** Inputs have smaller numbers, so one pass finds whether anything below a node reads the goal. */
function bindingsOf(plan: CompiledPlan, executorOf: Revision['executorOf']): readonly string[] {
  const bindings: string[] = [];
  const withGoal: boolean[] = [];
  for (let index = 0; index < plan.tasks.length + plan.combines.length; index += 1) {
    const node = plan.nodesById[nodeId(index)]!;
    const inputs = inputsOf(node);
    // An unknown executor may read anything.
    const isGiven = isGivenGoal(executorOf(node.id) ?? '') || inputs.some((id) => withGoal[nodeIndex(id)]);
    withGoal.push(isGiven);
    bindings.push(isGiven ? keyWithGoal(node.key, plan.goal) : node.key);
  }
  return bindings;
}

function resolutionOf(bytes: Uint8Array, ref: string, store: ResultStore): Resolution {
  const value = jsonIn(bytes);
  if (isRecord(value) && typeof value['digest'] === 'string' && Array.isArray(value['labels'])) {
    return value as unknown as Resolution;
  }
  throw corrupt(`what ${store.place} keeps as revision ${ref} is none`);
}

function corrupt(message: string): RunFailureError {
  return new RunFailureError('ResultCorrupt', message);
}

export interface RevisionCache {
  /**
   * @param run whose revision it is: what another run has is not there for this one
   * @param store of that run
   * @throws StoreError or RunFailureError `ResultCorrupt`, as reading it does; what failed is read again next time
   */
  load(run: Owner, ref: string, store: ResultStore): Promise<Revision>;
}

interface Kept {
  readonly revision: Promise<Revision>;
  /** Its share of `MOST_NODES`; known once it is read. */
  nodes: number;
}

/** A decoded node takes about 1 kB. */
const MOST_NODES = 200_000;

/** Caches the revisions used last, as many as fit, but at least one. @param read is for tests */
export function createRevisionCache(read = readRevision): RevisionCache {
  const kept = new Map<string, Kept>();
  return {
    load(run, ref, store) {
      const key = `${runScope(run)} ${ref}`;
      const known = kept.get(key);
      if (known !== undefined) {
        // The last in the map was used last.
        kept.delete(key);
        kept.set(key, known);
        return known.revision;
      }
      const revision = read(store, ref);
      const entry: Kept = { revision, nodes: 0 };
      kept.set(key, entry);
      revision.then(
        ({ plan }) => {
          entry.nodes = plan.tasks.length + plan.combines.length;
          forgetOldest();
        },
        () => kept.delete(key),
      );
      return revision;
    },
  };

  function forgetOldest(): void {
    let nodes = 0;
    for (const one of kept.values()) nodes += one.nodes;
    for (const [key, one] of kept) {
      if (nodes <= MOST_NODES || kept.size === 1) return;
      nodes -= one.nodes;
      kept.delete(key);
    }
  }
}
