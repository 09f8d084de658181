/** Results that an attempt before has left: what was kept is not carried out again. */

import type { Noted, ResultHandle } from '../protocol/index.ts';
import type { ResultStore } from '../store/index.ts';
import { findFinished, isResultThere, type RunPlace } from './finished.ts';
import { noted } from './keep-returned.ts';
import type { Revision } from './revision.ts';

/** The node as it is about to be carried out. */
export interface Sought {
  readonly nodeId: string;
  readonly inputs: readonly string[];
  readonly retry?: number;
}

/** The result of just this node, of these inputs, by this executor, in this run; undefined where it has to be carried out. */
export async function keptBefore(
  store: ResultStore,
  place: RunPlace,
  { executorOf, bindingOf }: Revision,
  { nodeId, inputs, retry = 0 }: Sought,
): Promise<(ResultHandle & Noted) | undefined> {
  const found = await findFinished(store, place, bindingOf(nodeId) ?? '');
  if (found === undefined || found === 'malformed' || found.isDisputed) return undefined;
  const { handle, notes, ...rest } = found;
  const isSame =
    rest.executor === executorOf(nodeId) &&
    rest.retry === retry &&
    JSON.stringify(rest.inputs) === JSON.stringify(inputs);
  return isSame && (await isResultThere(store, handle)) ? { ...handle, ...(notes && noted(notes)) } : undefined;
}
