/** What the store at hand has of a run: its plan, and the values that nodes gave, as far as they are short. */

import { decodePlan, type CompiledPlan } from '../plan/index.ts';
import { counted, oneLine } from '../plan/text/index.ts';
import { isRecord, type NodeValue, type NodeView } from '../protocol/index.ts';
import type { Result, ResultStore } from '../store/index.ts';
import { passingCode } from './client-error.ts';
import type { RunHandle } from './run-handle.ts';

/** The most bytes of a stored value that may tell of a file, of one that is told itself, and how many are read at once. */
const MAX_WRITTEN_BYTES = 16_384;
const MAX_VALUE_BYTES = 256;
const AT_ONCE = 200;
/** Characters of a value that is told. */
const MAX_VALUE = 60;

/** `2 records -> result.bed`, of a value that tells of a file of records, as that of `records.write` does. */
function writtenText(result: Result): string | undefined {
  if (result.kind !== 'value' || !isRecord(result.value)) return undefined;
  const { path, records, sha256 } = result.value;
  if (typeof path !== 'string' || typeof records !== 'number' || typeof sha256 !== 'string') return undefined;
  return `${counted(records, 'record')} -> ${oneLine(path)}`;
}

/**
 * The text of a value in the store at hand, if that is short enough to be told, or tells of a file: a node that only reads
 * has written none, and little of what it gave is read.
 */
export async function valueOf(
  run: Pick<RunHandle, 'readResult'>,
  { result, effect = 'read' }: Pick<NodeView, 'result' | 'effect'>,
): Promise<NodeValue | undefined> {
  if (result?.kind !== 'value' || result.bytes > (effect === 'read' ? MAX_VALUE_BYTES : MAX_WRITTEN_BYTES))
    return undefined;
  const stored = await run.readResult(result.ref).catch(() => undefined);
  if (stored?.kind !== 'value') return undefined;
  const written = writtenText(stored);
  if (written !== undefined) return { written };
  return JSON.stringify(stored.value).length <= MAX_VALUE ? { value: stored.value } : undefined;
}

/** By the id of each node what the store at hand has of its value; nothing where that is long, or not there. */
export async function readValues(
  run: Pick<RunHandle, 'readResult'>,
  nodes: readonly NodeView[],
): Promise<ReadonlyMap<string, NodeValue>> {
  const found = new Map<string, NodeValue>();
  for (let at = 0; at < nodes.length; at += AT_ONCE) {
    const read = async (node: NodeView) => [node.id, (await valueOf(run, node)) ?? {}] as const;
    for (const [id, value] of await Promise.all(nodes.slice(at, at + AT_ONCE).map(read))) found.set(id, value);
  }
  return found;
}

/**
 * The open plan, without it where the store at hand does not have it.
 * @returns undefined where it cannot be had now, or is another one by now
 */
export async function readCompiled(
  run: Pick<RunHandle, 'view'>,
  store: Pick<ResultStore, 'get'>,
  revision: number,
): Promise<{ readonly compiled?: CompiledPlan } | undefined> {
  try {
    const { plan } = await run.view(['plan']);
    if (plan.revision !== revision) return undefined;
    const decoded = decodePlan(await store.get(plan.ref));
    return decoded.ok ? { compiled: decoded.plan } : {};
  } catch (error) {
    return passingCode(error) === undefined ? {} : undefined;
  }
}
