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
  nodesIn,
  rangesOf,
  RunFailureError,
  UNTRUSTED_RESULT,
  type CompileRequest,
  type Reuse,
} from '../protocol/index.ts';
import { conversationResource, hashOf, planResource, type ResultStore } from '../store/index.ts';
import { findFinished } from './run-records.ts';
import { enterJson, type Stores } from './stores.ts';

const LOOKUPS = 16;

export interface Marked {
  readonly executors: Readonly<Record<NodeId, Executor>>;
  /** Sources of single nodes that their executors do not show, by node index. `reads` are resources. */
  readonly sources?: Readonly<Record<number, string>>;
  readonly reads?: Readonly<Record<number, string>>;
  /** Sources of the values that the plan has for single nodes, by node index. */
  readonly values?: Readonly<Record<number, string>>;
  readonly external?: Readonly<Record<string, string>>;
  readonly written?: string | undefined;
}

export function marksOf(
  plan: CompiledPlan,
  { executors, sources = {}, reads = {}, values = {}, external = {}, written }: Marked,
) {
  const readOf = (id: NodeId) => reads[nodeIndex(id)];
  const sourceOf = (id: NodeId) => executors[id]?.untrusted ?? readOf(id) ?? sources[nodeIndex(id)];
  const valuesOf = (id: NodeId) => values[nodeIndex(id)];
  const isEffect = (id: NodeId) => (executors[id]?.effect ?? 'read') !== 'read';
  const found = { sourceOf, readOf, valuesOf, external, written };
  const { reached, results } = findUntrusted(plan, found, isEffect);
  if (results.length === 0) return { shape: {}, resolution: {} };
  const untrusted = Object.keys(reached).length > 0 ? reached : undefined;
  const nodes = Object.keys(reached).map(Number);
  return {
    shape: given({ untrusted, written }),
    resolution: { reached: rangesOf(nodes), untrusted: rangesOf(results) },
  };
}

/** Whether the plan has marks that its executors, and so its shape, do not show. */
export function hasMarksOfStore({ sources = {}, reads = {}, values = {}, external = {}, written }: Marked): boolean {
  return written !== undefined || [sources, reads, values, external].some((all) => Object.keys(all).length > 0);
}

interface MarkSources {
  readonly namespace: string;
  readonly reuse: Reuse | undefined;
  /** The document of a whole plan. */
  readonly document?: unknown;
}

/** What is untrusted in a plan before any edge is followed. */
export async function markedOf(
  plan: CompiledPlan,
  executors: Marked['executors'],
  { conversation, context = {}, untrusted }: Pick<CompileRequest, 'conversation' | 'context' | 'untrusted'>,
  registry: CapabilityRegistry,
  stores: Stores,
  { namespace, reuse, document }: MarkSources,
): Promise<Marked> {
  // A model may have left this plan in a draft or in another run.
  const left = document === undefined ? [] : [ofDigest(plan), planResource(document)];
  const isLeft = (await Promise.all(left.map(async (name) => isWritten(stores, name)))).includes(true);
  const written = untrusted ?? (isLeft ? UNTRUSTED_RESULT : undefined);
  // Another run may be started with this plan, for example after the end of this one.
  if (written !== undefined) await markResources(stores, [ofDigest(plan)]);
  const refs = Object.entries(contextRefs(plan)).filter(([key]) => !Object.hasOwn(context, key));
  const external = await untrustedResults(stores, conversation, Object.fromEntries(refs));
  const reused = Object.entries(reuse?.done ?? {}).filter(([, done]) => done.untrusted === true);
  const agents = plan.tasks.filter(({ id }) => executors[id]?.kind === 'agent');
  const read = agents.length === 0 ? undefined : await untrustedIn(stores, conversation);
  const sources = Object.fromEntries([
    ...(read === undefined ? [] : agents.map(({ id }) => [nodeIndex(id), read] as const)),
    ...reused.map(([node]) => [node, `${UNTRUSTED_RESULT} of run ${reuse?.of}`] as const),
  ]);
  const values = await undoneSources(plan, namespace, stores);
  const marked = { executors, external, sources, values, written };
  return { ...marked, reads: await writtenSources(plan, marked, registry, stores) };
}

const ofDigest = ({ digest }: CompiledPlan) => `plan:${digest}`;

/** An inverse is computed from the arguments and the result of the effect that it undoes. */
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
  stores: Stores,
): Promise<Readonly<Record<number, string>>> {
  const all = plan.tasks.flatMap((task) =>
    resourcesOf('readsResource', task, marked.executors[task.id], registry).map((name) => [task.id, name] as const),
  );
  if (all.length === 0) return {};
  const names = new Set(all.map(([, name]) => name));
  const found = await pLimit(LOOKUPS).map(names, async (name) =>
    name === SOME_RESOURCE || (await isWritten(stores, name)) ? [name] : [],
  );
  const reads = sourcesIn(new Set(found.flat()));
  const { reached = '', untrusted = '' } = marksOf(plan, { ...marked, reads }).resolution;
  const [isReached, isUntrusted] = [reached, untrusted].map((nodes) => new Set(nodesIn(nodes)));
  const written = plan.tasks.flatMap((task) => {
    const [node, executor] = [nodeIndex(task.id), marked.executors[task.id]];
    const stored = isReached!.has(node) ? resourcesOf('writesResources', task, executor, registry) : [];
    return [...stored, ...(isUntrusted!.has(node) ? [executor?.resource ?? ''] : [])];
  });
  // What is read from one resource may be written to the next, and the order of the nodes is not known.
  return written.some((name) => name === SOME_RESOURCE || names.has(name)) ? sourcesIn(names) : reads;

  function sourcesIn(resources: ReadonlySet<string>): Readonly<Record<number, string>> {
    const own = all.filter(([, name]) => resources.has(name));
    const textOf = (name: string) => (name === SOME_RESOURCE ? name : `${name}, which a run wrote`);
    return Object.fromEntries(own.map(([id, name]) => [nodeIndex(id), textOf(name)]));
  }
}

const SOME_RESOURCE = 'what another step names';

/** Records, before the task begins, that untrusted values are written to the resources. */
export async function markResources({ untrusted }: Stores, resources: readonly string[]): Promise<void> {
  for (const resource of resources) await enterJson(untrusted, nameOfMark(resource), { resource });
}

/** An entry that cannot be read throws: it may be a mark. */
async function isWritten({ untrusted }: Stores, resource: string): Promise<boolean> {
  return (await untrusted.entry(nameOfMark(resource))) !== undefined;
}

/** On some file systems, names that differ only in case name the same file. */
const nameOfMark = (resource: string) => hashOf(resource.toLowerCase());

/** @throws RunFailureError if a run wrote untrusted values to what a read was approved to trust */
export async function checkTrusted(stores: Stores, resource: string): Promise<void> {
  if (!(await isWritten(stores, resource))) return;
  const next = 'compile the plan again, by an edit, a new plan or a new run, so that people see it';
  throw new RunFailureError(
    'REPLANNING',
    `a run wrote untrusted values to ${resource} after this plan was compiled; ${next}`,
  );
}

function resourcesOf(
  side: 'readsResource' | 'writesResources',
  { arguments: args = {} }: TaskNode,
  { kind, name = '' }: Partial<Executor> = {},
  registry: CapabilityRegistry,
): readonly string[] {
  const found = kind === 'capability' ? registry.capability(name) : undefined;
  if (found === undefined || found.kind === 'wait' || found[side] === undefined) return [];
  if (findReferences(args).length > 0) return [SOME_RESOURCE];
  const read = readArguments(found.input, args);
  return read.ok ? [found[side](read.value)].flat() : [];
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
    (await store.entry(keptAs(ref))) === undefined ? [] : [[key, `${UNTRUSTED_RESULT} of an earlier run`] as const],
  );
  return Object.fromEntries(found.flat());
}

export async function markResult(store: ResultStore, ref: string): Promise<void> {
  await enterJson(store, keptAs(ref), { ref });
}

const keptAs = (ref: string) => `untrusted/${hashOf(ref)}`;

/** What a model reads that is given this conversation, for people; undefined if all of it is trusted. */
export async function untrustedIn(stores: Stores, conversation: string | undefined): Promise<string | undefined> {
  const isMarked = conversation !== undefined && (await isWritten(stores, conversationResource(conversation)));
  return isMarked ? `the conversation (${UNTRUSTED_RESULT})` : undefined;
}
