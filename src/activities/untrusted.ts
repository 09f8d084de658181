/** Finds out at compile time which values of a plan are untrusted, from its edges and from marks in the store. */

import pLimit from 'p-limit';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { readArguments } from '../capabilities/read-arguments.ts';
import {
  contextRefs,
  findReferences,
  findUntrusted,
  readUndone,
  type CompiledPlan,
  type Executor,
  type NodeId,
  type TaskNode,
} from '../plan/index.ts';
import {
  given,
  nodeIndex,
  rangesOf,
  RunFailureError,
  UNTRUSTED_RESULT,
  type CompileRequest,
  type PlanShape,
  type Reuse,
} from '../protocol/index.ts';
import { hashOf, type ResultStore } from '../store/index.ts';
import type { Resolution } from './revision.ts';
import { findFinished } from './run-records.ts';
import { enterJson, entryJson, type Stores } from './stores.ts';

const LOOKUPS = 16;

export interface UntrustedMarks {
  readonly shape: Pick<PlanShape, 'untrusted' | 'written'>;
  readonly resolution: Pick<Resolution, 'reached' | 'untrusted'>;
}

export interface Marked {
  readonly executors: Readonly<Record<NodeId, Executor>>;
  /**
   * By node index: the source of the node's untrusted result, if the store knows it and the executor does not show it.
   */
  readonly sources?: Readonly<Record<number, string>>;
  /** By node index, the sources of untrusted values that the plan itself gives to a node. */
  readonly values?: Readonly<Record<number, string>>;
  readonly external?: Readonly<Record<string, string>>;
  readonly written?: string | undefined;
}

export function marksOf(
  plan: CompiledPlan,
  { executors, sources = {}, values = {}, external = {}, written }: Marked,
): UntrustedMarks {
  const sourceOf = (id: NodeId) => executors[id]?.untrusted ?? sources[nodeIndex(id)];
  const valuesOf = (id: NodeId) => values[nodeIndex(id)];
  const isEffect = (id: NodeId) => (executors[id]?.effect ?? 'read') !== 'read';
  const { reached, results } = findUntrusted(plan, { sourceOf, valuesOf, external, written }, isEffect);
  if (results.length === 0) return { shape: {}, resolution: {} };
  const untrusted = Object.keys(reached).length > 0 ? reached : undefined;
  const nodes = Object.keys(reached).map(Number);
  return {
    shape: given({ untrusted, written }),
    resolution: { reached: rangesOf(nodes), untrusted: rangesOf(results) },
  };
}

/** Whether the plan has marks that its executors, and so its shape, do not show. */
export function hasMarksOfStore({ sources = {}, values = {}, external = {}, written }: Marked): boolean {
  return written !== undefined || [sources, values, external].some((all) => Object.keys(all).length > 0);
}

export async function markedOf(
  plan: CompiledPlan,
  executors: Marked['executors'],
  { conversation, context = {}, untrusted: written }: Pick<CompileRequest, 'conversation' | 'context' | 'untrusted'>,
  registry: CapabilityRegistry,
  stores: Stores,
  { namespace, reuse }: { readonly namespace: string; readonly reuse: Reuse | undefined },
): Promise<Marked> {
  const refs = Object.entries(contextRefs(plan)).filter(([key]) => !Object.hasOwn(context, key));
  const external = await untrustedResults(stores, conversation, Object.fromEntries(refs));
  const reused = Object.entries(reuse?.done ?? {}).filter(([, { untrusted }]) => untrusted === true);
  const sources = Object.fromEntries(reused.map(([node]) => [node, `${UNTRUSTED_RESULT} of run ${reuse?.of}`]));
  const values = await undoneSources(plan, namespace, stores);
  const marked = { executors, external, sources, values, written };
  return { ...marked, sources: await writtenSources(plan, marked, registry, stores) };
}

/** An inverse is computed from the arguments and the result of the effect that it undoes, so it has their sources. */
async function undoneSources(
  { tasks }: CompiledPlan,
  namespace: string,
  stores: Stores,
): Promise<Readonly<Record<number, string>>> {
  const found = await pLimit(LOOKUPS).map(
    tasks.filter((one) => one.undoes !== undefined),
    async ({ id, undoes = '' }) => {
      const undone = readUndone(undoes);
      if (undone === undefined) return [];
      const owner = { ...undone, namespace };
      const finished = await findFinished(stores.of(owner), owner, undone.key);
      const isMarked = typeof finished === 'object' && finished.handle.untrusted === true;
      return isMarked
        ? [[nodeIndex(id), `${undone.node} of run ${undone.workflowId} (${UNTRUSTED_RESULT})`] as const]
        : [];
    },
  );
  return Object.fromEntries(found.flat());
}

/** Sources that only the store knows: a run writes untrusted values to resources that nodes of this plan read. */
async function writtenSources(
  plan: CompiledPlan,
  marked: Marked,
  registry: CapabilityRegistry,
  { untrusted }: Stores,
): Promise<Readonly<Record<number, string>>> {
  const sources: Record<number, string> = { ...marked.sources };
  const reads = new Map<string, number[]>();
  for (const task of plan.tasks) {
    const resource = resourceRead(task, registry);
    if (resource === SOME_RESOURCE) sources[nodeIndex(task.id)] ??= SOME_RESOURCE;
    else if (resource !== undefined) reads.set(resource, pushed(reads.get(resource), nodeIndex(task.id)));
  }
  if (reads.size === 0) return sources;
  await pLimit(LOOKUPS).map(reads.keys(), async (name) => {
    if ((await entryJson(untrusted, nameOfMark(name))) !== undefined) mark(name);
  });
  const { shape } = marksOf(plan, { ...marked, sources });
  const written = plan.tasks.map(({ id }) => [nodeIndex(id), marked.executors[id]?.resource ?? ''] as const);
  // Untrusted values from one resource may be written to the next, and the order of the nodes is unknown, so all are marked.
  if (written.some(([node, resource]) => reads.has(resource) && shape.untrusted?.[node] !== undefined))
    for (const [, resource] of written) mark(resource);
  return sources;

  function mark(resource: string): void {
    for (const node of reads.get(resource) ?? []) sources[node] ??= `${resource}, which a run wrote`;
  }
}

function pushed(list: number[] = [], node: number): number[] {
  list.push(node);
  return list;
}

const SOME_RESOURCE = 'what another step names';

export async function markResource({ untrusted }: Stores, resource: string): Promise<void> {
  await enterJson(untrusted, nameOfMark(resource), { resource });
}

/** On some file systems, names that differ only in case name the same file. */
const nameOfMark = (resource: string) => hashOf(resource.toLowerCase());

/** @throws RunFailureError if a run wrote untrusted values to a resource that the approval trusts */
export async function checkTrusted({ untrusted }: Stores, resource: string): Promise<void> {
  if ((await entryJson(untrusted, nameOfMark(resource))) === undefined) return;
  const next = 'compile the plan again, by an edit, a new plan or a new run, so that people see it';
  throw new RunFailureError(
    'REPLANNING',
    `a run wrote untrusted values to ${resource} after this plan was compiled; ${next}`,
  );
}

function resourceRead({ capability = '', arguments: args = {} }: TaskNode, registry: CapabilityRegistry) {
  const found = registry.capability(capability);
  if (found === undefined || found.kind === 'wait' || found.readsResource === undefined) return undefined;
  if (findReferences(args).length > 0) return SOME_RESOURCE;
  const read = readArguments(found.input, args);
  return read.ok ? found.readsResource(read.value) : undefined;
}

/** By key, the given results that runs of the conversation stored as untrusted. */
async function untrustedResults(
  { conversation: storeOf }: Stores,
  conversation: string | undefined,
  refs: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  if (conversation === undefined) return {};
  const store = storeOf(conversation);
  const found = await pLimit(LOOKUPS).map(Object.entries(refs), async ([key, ref]) =>
    (await entryJson(store, keptAs(ref))) === undefined
      ? []
      : [[key, `${UNTRUSTED_RESULT} of an earlier run`] as const],
  );
  return Object.fromEntries(found.flat());
}

export async function markResult(store: ResultStore, ref: string): Promise<void> {
  await enterJson(store, keptAs(ref), { ref });
}

const keptAs = (ref: string) => `untrusted/${hashOf(ref)}`;

/**
 * The untrusted sources in a conversation and the given results, as text for people; undefined if everything is
 * trusted. The drafts of a conversation count too.
 */
export async function untrustedIn(
  stores: Stores,
  conversation: string | undefined,
  refs: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (conversation === undefined) return undefined;
  const draft = await entryJson(stores.conversation(conversation), DRAFT);
  if (draft !== undefined) return `a draft of the conversation (${UNTRUSTED_RESULT})`;
  const [first] = Object.entries(await untrustedResults(stores, conversation, refs));
  return first && `context ${first[0]} (${first[1]})`;
}

export async function markDraft(store: ResultStore, written: string): Promise<void> {
  await enterJson(store, DRAFT, { written });
}

const DRAFT = 'untrusted/draft';
