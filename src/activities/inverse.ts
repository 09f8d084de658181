/** Computes the call that undoes an effect, from the effect's stored arguments and result. */

import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import { readArguments, type InverseCall } from '../capabilities/index.ts';
import { canonicalJson, findReferences, type JsonValue, type TaskNode } from '../plan/index.ts';
import { listNames, messageOf, oneLine, quote } from '../plan/text/index.ts';
import { executorLabel, executorName, isRecord, RunFailureError, runKey, type Owner } from '../protocol/index.ts';
import { StoreError } from '../store/index.ts';
import { checkedArguments, jsonCopy, workerExecutor } from './execute-node.ts';
import { readInput, taskArguments } from './node-results.ts';
import { readRevision, type Revision } from './revision.ts';
import { findFinished, type Finished, type FinishedEffect } from './run-records.ts';
import type { UndoClaim } from './undo-claim.ts';
import type { Stores } from './stores.ts';

export type Inverse =
  | { readonly ok: true; readonly call: InverseCall; readonly node: TaskNode }
  /** `isFault`: the capability's `inverse` returned a wrong call. */
  | { readonly ok: false; readonly reason: string; readonly isFault?: true };

/** @throws StoreError if the store is unavailable */
export async function inverseOf(
  { by, handle, executor, inputs }: FinishedEffect,
  { namespace }: Pick<Owner, 'namespace'>,
  stores: Stores,
  registry: CapabilityRegistry,
): Promise<Inverse> {
  const owner = { ...by, namespace };
  const store = stores.of(owner);
  try {
    const revision = await readRevision(store, by.revision);
    const node = revision.plan.nodesById[by.node];
    if (node?.kind !== 'task' || revision.bindingOf(by.node) !== by.binding) return no('the store has no plan of it');
    const here = workerExecutor(node, registry);
    const label = here === undefined ? 'none' : executorLabel(here);
    if (label !== executor) return no(`it was done by "${oneLine(executor)}", and here it is "${oneLine(label)}"`);
    const capability = registry.capability(here!.name);
    if (capability?.kind === 'wait' || capability?.inverse === undefined)
      return no(`${executorName(executor)} has no inverse`);
    const refs = inputs ?? (await storedInputs(node, revision));
    const args = checkedArguments(capability, jsonCopy(await taskArguments(revision.plan, node, refs, store), ''));
    const result = await readInput(store, handle.ref);
    const value = result.kind === 'set' ? result.set : result.kind === 'text' ? result.text : result.value;
    return checkedCall(executorName(executor), node, () =>
      capability.inverse!({ arguments: args, task: node.task }, value),
    );
  } catch (error) {
    // The data of the run to undo may have been removed. That is no failure of the store, so there is no inverse.
    const isGone = error instanceof StoreError && (error.code === 'not-found' || error.cause !== undefined);
    if (!isGone && !(error instanceof RunFailureError)) throw error;
    return no(messageOf(error));
  }

  async function storedInputs({ dependsOn }: TaskNode, { bindingOf }: Revision): Promise<readonly string[]> {
    const all = await Promise.all(dependsOn.map((id) => findFinished(store, owner, bindingOf(id) ?? '')));
    return all.map((found) => (typeof found === 'object' ? found.handle.ref : ''));
  }

  function checkedCall(name: string, node: TaskNode, ask: () => unknown): Inverse {
    const fault = (text: string): Inverse => ({ ok: false, isFault: true, reason: `the inverse of ${name} ${text}` });
    let call: unknown;
    try {
      call = ask();
      if (call === undefined) return no(`${name} has no inverse for it`);
      call = JSON.parse(canonicalJson(call as JsonValue));
    } catch (error) {
      return fault(`threw: ${messageOf(error)}`);
    }
    if (!isRecord(call) || typeof call['capability'] !== 'string' || !isRecord(call['arguments']))
      return fault('returned no call; expected { capability, arguments }');
    const { capability: named, arguments: args } = call as unknown as InverseCall;
    const inverse = registry.capability(named);
    if (inverse === undefined)
      return fault(`names ${quote(named)}, which this project lacks; it has ${listNames(registry.capabilities)}`);
    if (inverse.effect === 'read') return fault(`names ${quote(named)}, which only reads`);
    const read = readArguments(inverse.input, args);
    if (!read.ok) return fault(`gives ${quote(named)} other arguments than it takes: ${read.problems[0]?.message}`);
    if (findReferences(args).length > 0) return fault(`gives ${quote(named)} the name of a result as an argument`);
    return { ok: true, call: { capability: named, arguments: args }, node };
  }
}

function no(reason: string): Inverse {
  return { ok: false, reason };
}

/**
 * Checks steps that undo effects.
 * @throws RunFailureError if a step is not the inverse of the effect that it names
 */
export async function checkInverse(
  { capability = '', arguments: args = {} }: TaskNode,
  { owner, undone, about }: Pick<UndoClaim, 'owner' | 'undone' | 'about'>,
  stores: Stores,
  registry: CapabilityRegistry,
): Promise<void> {
  const finished = await findFinished(stores.of(owner), owner, undone.key);
  const by = typeof finished === 'object' ? finished.by : undefined;
  const isOwn = by !== undefined && runKey({ ...by, namespace: owner.namespace }) === runKey(owner);
  const inverse: Inverse =
    isOwn && by.node === undone.node
      ? await inverseOf({ ...(finished as Finished), by }, owner, stores, registry)
      : no('the store has no such effect');
  const own = canonicalJson({ capability, arguments: args });
  const problem = inverse.ok ? `its inverse is ${canonicalJson({ ...inverse.call })}` : inverse.reason;
  if (inverse.ok && canonicalJson({ ...inverse.call }) === own) return;
  const message = `it does not undo ${about}: ${problem}; write the plan again with "planwright undo"`;
  throw new RunFailureError('CRITICAL', message);
}
