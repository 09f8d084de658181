/** The values that nodes gave, as far as they are short: the file of records that one tells of, else the value itself. */

import type { RunHandle } from '../client/index.ts';
import type { JsonValue } from '../plan/index.ts';
import { counted, oneLine } from '../plan/text/index.ts';
import { isRecord, type NodeView } from '../protocol/index.ts';
import type { Result } from '../store/index.ts';

/** The most bytes of a stored value that may tell of a file, of one that is told itself, and how many are read at once. */
const MAX_WRITTEN_BYTES = 16_384;
const MAX_VALUE_BYTES = 256;
const AT_ONCE = 200;
/** Characters of a value that is told. */
const MAX_VALUE = 60;

export interface GivenValue {
  readonly written?: string;
  readonly value?: JsonValue;
}

/** `2 records -> result.bed`, of a value that tells of a file of records, as that of `records.write` does. */
export function writtenText(result: Result): string | undefined {
  if (result.kind !== 'value' || !isRecord(result.value)) return undefined;
  const { path, records, sha256 } = result.value;
  if (typeof path !== 'string' || typeof records !== 'number' || typeof sha256 !== 'string') return undefined;
  return `${counted(records, 'record')} -> ${oneLine(path)}`;
}

/**
 * The text of a value in the store at hand, if that is short enough to be told, or tells of a file: a node that only reads
 * has written none, and little of what it gave is read.
 */
export async function givenBy(
  run: Pick<RunHandle, 'readResult'>,
  { result, effect = 'read' }: Pick<NodeView, 'result' | 'effect'>,
): Promise<GivenValue | undefined> {
  if (result?.kind !== 'value' || result.bytes > (effect === 'read' ? MAX_VALUE_BYTES : MAX_WRITTEN_BYTES))
    return undefined;
  const stored = await run.readResult(result.ref).catch(() => undefined);
  if (stored?.kind !== 'value') return undefined;
  const written = writtenText(stored);
  if (written !== undefined) return { written };
  return JSON.stringify(stored.value).length <= MAX_VALUE ? { value: stored.value } : undefined;
}

/** By the id of the node what the store at hand has of the nodes that gave a value. */
export async function readGiven(
  run: Pick<RunHandle, 'readResult'>,
  nodes: readonly NodeView[],
): Promise<ReadonlyMap<string, GivenValue>> {
  const found = new Map<string, GivenValue>();
  for (let at = 0; at < nodes.length; at += AT_ONCE) {
    const read = async (node: NodeView) => [node.id, await givenBy(run, node)] as const;
    const page = await Promise.all(nodes.slice(at, at + AT_ONCE).map(read));
    for (const [id, given] of page) if (given !== undefined) found.set(id, given);
  }
  return found;
}
