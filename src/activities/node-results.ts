import {
  type AnswerRequest,
  type Noted,
  type NodeRequest,
  type ResultHandle,
  MAX_NODE_NOTES,
  RunFailureError,
  type Owner,
} from '../protocol/index.ts';
import {
  encodedResult,
  StoreError,
  type Result,
  type ResultStore,
  readResult,
  UnstorableError,
} from '../store/index.ts';
import { cutBytes, messageOf } from '../plan/text/index.ts';
import { findSameFinished, isEffect, storeFinished, type Finished } from './run-records.ts';
import { placeOf } from './stores.ts';
import { type Revision, replaceAt } from './revision.ts';
import type { WorkCapability, TaskInput } from '../capabilities/index.ts';
import type { ResultSet } from '../plan/algebra/index.ts';
import { storeAtLast } from './failures.ts';
import { findReferences, referencedStep, type CompiledPlan, type JsonValue, type TaskNode } from '../plan/index.ts';
import { resultJson } from '../planner/index.ts';

/**
 * Stores a node's result, and an entry by which other runs find it. If only the entry fails, a note says so.
 * @throws UnstorableError, StoreError `unwritable`
 */
export async function storeNodeResult(
  request: NodeRequest,
  revision: Revision,
  { result, notes }: { readonly result: Result; readonly notes: readonly string[] },
  store: ResultStore,
): Promise<ResultHandle & Noted> {
  const { nodeId, inputs, retry = 0 } = request;
  const { bytes, handle } = await encodedResult(result);
  const done = { handle, inputs, retry, revision: request.revision, ...boundNotes(notes) };
  const came = await storeEntry(store, placeOf(request), revision, nodeId, done, bytes);
  return typeof came === 'string'
    ? { ...markedHandle(handle, revision, nodeId), ...boundNotes([came, ...notes]) }
    : { ...came.handle, ...boundNotes(notes) };
}

function markedHandle(handle: ResultHandle, revision: Revision, id: string): ResultHandle {
  return revision.isUntrusted(id) ? { ...handle, untrusted: true } : handle;
}

export type NodeLookup = Pick<NodeRequest, 'nodeId' | 'inputs' | 'retry'>;

/** The result that this run stored for a node with these inputs and this executor; undefined if there is none. */
export async function findStoredResult(
  store: ResultStore,
  place: Owner,
  { executorOf, bindingOf }: Revision,
  { nodeId, inputs, retry = 0 }: NodeLookup,
): Promise<(ResultHandle & Noted) | undefined> {
  const done = { executor: executorOf(nodeId) ?? '', inputs, retry };
  const found = await findSameFinished(store, place, bindingOf(nodeId) ?? '', done);
  return found && { ...found.handle, ...boundNotes(found.notes ?? []) };
}

export async function recordAnswer(
  request: AnswerRequest,
  revision: Revision | undefined,
  handle: ResultHandle,
  store: ResultStore,
): Promise<void> {
  const { nodeId, revision: ref } = request;
  if (revision === undefined || nodeId === undefined || ref === undefined) return;
  await storeEntry(store, placeOf(request), revision, nodeId, { handle, retry: 0, revision: ref });
}

/** Stores the entry of a node. @returns the entry, or a note with the reason why it could not be stored */
async function storeEntry(
  store: ResultStore,
  place: Owner,
  revision: Revision,
  id: string,
  { revision: ref, ...one }: Pick<Finished, 'handle' | 'inputs' | 'retry' | 'notes'> & { readonly revision: string },
  bytes?: Uint8Array,
): Promise<Finished | string> {
  const [executor, binding] = [revision.executorOf(id) ?? '', revision.bindingOf(id) ?? ''];
  const { workflowId, firstRunId } = place;
  const by = isEffect(executor) && { by: { workflowId, firstRunId, revision: ref, node: id, binding } };
  try {
    const marked = { ...one, handle: markedHandle(one.handle, revision, id) };
    return await storeFinished(
      store,
      place,
      binding,
      { ...marked, executor, at: new Date().toISOString(), ...by },
      bytes,
    );
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (bytes !== undefined) await store.put(bytes);
    return cutBytes(`is not kept for later runs: ${error.message}`, MAX_NOTE_BYTES);
  }
}

export const MAX_NOTE_BYTES = 500;
/** The only key of the value that stands for a result that could not be stored. */
const UNSTORED = '$unstored';

export type StoreNode = (result: Result, notes: readonly string[]) => Promise<ResultHandle & Noted>;

/** Stores what a capability returned. If that fails, a read fails, but an effect succeeds with the reason as result. */
export async function storeReturned(
  { name, output, effect }: WorkCapability,
  returned: () => unknown,
  store: StoreNode,
  signal: AbortSignal,
): Promise<ResultHandle & Noted> {
  // If the result of a read cannot be stored, its run waits, since a read can be repeated.
  const keep: StoreNode = (result, notes) =>
    effect === 'read' ? store(result, notes) : storeAtLast(() => store(result, notes), signal, effect);
  try {
    const { result, notes } = checkedResult(output, await returned());
    return await keep(result, notes);
  } catch (error) {
    if (!(error instanceof UnstorableError)) throw error;
    const reason = `capability ${name}: ${error.message}`;
    if (effect === 'read') throw new RunFailureError('CRITICAL', reason, { cause: error });
    const standIn: Result = { kind: 'value', value: { [UNSTORED]: cutBytes(reason, MAX_NOTE_BYTES) } };
    return keep(standIn, [`it was done, and its result could not be stored: ${reason}`]);
  }
}

/** Stores a result that a probe found. @returns undefined if it does not fit the output */
export async function storeIfFitting(
  output: WorkCapability['output'],
  found: unknown,
  keep: StoreNode,
  note: string,
): Promise<(ResultHandle & Noted) | undefined> {
  try {
    const { result, notes } = checkedResult(output, found);
    return await keep(result, [note, ...notes]);
  } catch (error) {
    if (error instanceof UnstorableError) return undefined;
    throw error;
  }
}

export function boundNotes(notes: readonly string[]): Noted {
  if (notes.length === 0) return {};
  return { notes: notes.slice(0, MAX_NODE_NOTES).map((note) => cutBytes(note, MAX_NOTE_BYTES)) };
}

/**
 * Reads an input.
 * @throws RunFailureError `CRITICAL` if it is an effect's result that could not be stored
 */
export async function readInput(store: ResultStore, ref: string): Promise<Result> {
  const result = await readResult(store, ref);
  const value: unknown = result.kind === 'value' ? result.value : undefined;
  if (typeof value !== 'object' || value === null || !(UNSTORED in value)) return result;
  throw new RunFailureError('CRITICAL', `what it stands on was done and has no result: ${String(value[UNSTORED])}`);
}

/** Checks what a capability returned. JavaScript code may return anything, even an object that throws when read. */
function checkedResult(
  output: WorkCapability['output'],
  value: unknown,
): { readonly result: Result; readonly notes: readonly string[] } {
  try {
    const result = resultOf(output, value);
    if (result !== undefined) {
      return { result, notes: result.kind === 'set' ? (result.set.source?.notes ?? []) : [] };
    }
  } catch (error) {
    throw new UnstorableError(`it returned what cannot be read: ${messageOf(error)}`);
  }
  throw new UnstorableError(`it declares a ${output} and returned ${typeof value}`);
}

function resultOf(output: WorkCapability['output'], value: unknown): Result | undefined {
  if (output === 'set' && isSet(value)) return { kind: 'set', set: value };
  if (output === 'text' && typeof value === 'string') return { kind: 'text', text: value };
  return output === 'value' && value !== undefined ? ({ kind: 'value', value } as Result) : undefined;
}

function isSet(value: unknown): value is ResultSet {
  return typeof value === 'object' && value !== null && Array.isArray((value as Partial<ResultSet>).ids);
}

/** The inputs of a task: the results of its dependencies, then the external context that the approved plan names. */
export function taskInputs(
  plan: CompiledPlan,
  node: TaskNode,
  refs: readonly string[],
  store: ResultStore,
): readonly TaskInput[] {
  const nodes = node.dependsOn.map((id, index) => input(nameOf(plan, id), refs[index], store));
  const context = (node.externalInputs ?? []).map((name) => input(name, node.externalRefs?.[name], store));
  return [...nodes, ...context];
}

/** The arguments of a task, with `result_from_step_N` replaced by that result. A set becomes the list of its ids. */
export async function taskArguments(
  plan: CompiledPlan,
  node: TaskNode,
  refs: readonly string[],
  store: ResultStore,
): Promise<JsonValue> {
  let args: JsonValue = node.arguments ?? {};
  for (const { step, path, whole } of findReferences(args)) {
    if (whole) args = replaceAt(args, path, await inputOfStep(step));
  }
  return args;

  async function inputOfStep(step: string): Promise<JsonValue> {
    const id = referencedStep(plan, step);
    const ref = id === undefined ? node.externalRefs?.[step] : refs[node.dependsOn.indexOf(id)];
    if (ref !== undefined) return resultJson(await readInput(store, ref));
    throw new RunFailureError('FATAL', `${node.id} has no result of step ${step} among its inputs`);
  }
}

function input(name: string, ref: string | undefined, store: ResultStore): TaskInput {
  if (ref === undefined) throw new RunFailureError('FATAL', `the input ${name} has no result`);
  return { name, handle: { ref }, read: () => readInput(store, ref) };
}

/** The name of an input. It is not the node id, since ids depend on positions in the plan and approvals do not. */
function nameOf(plan: CompiledPlan, id: string): string {
  const node = plan.nodesById[id];
  return (node?.kind === 'task' ? node.contextKey : undefined) ?? 'input';
}
