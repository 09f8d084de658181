/** The files that a run has written, in words: `2 records -> result.bed`. */

import type { RunHandle } from '../edge/client/index.ts';
import { counted, oneLine } from '../language/text/index.ts';
import { isRecord, type NodeView, type ResultHandle } from '../wire/contract/index.ts';
import type { Result } from '../wire/results/index.ts';

/** The most bytes of a stored value that may tell of a file, and how many such values of a run are looked at. */
const MAX_WRITTEN_BYTES = 16_384;
const MAX_WRITTEN = 200;

/** `2 records -> result.bed`, of a value that tells of a file of records, as that of `records.write` does. */
export function writtenText(result: Result): string | undefined {
  if (result.kind !== 'value' || !isRecord(result.value)) return undefined;
  const { path, records, sha256 } = result.value;
  if (typeof path !== 'string' || typeof records !== 'number' || typeof sha256 !== 'string') return undefined;
  return `${counted(records, 'record')} -> ${oneLine(path)}`;
}

/** The file that a result tells of, as far as the store at hand has it. */
export async function readWritten(
  run: Pick<RunHandle, 'readResult'>,
  result: ResultHandle | undefined,
): Promise<string | undefined> {
  if (result?.kind !== 'value' || result.bytes > MAX_WRITTEN_BYTES) return undefined;
  const stored = await run.readResult(result.ref).catch(() => undefined);
  return stored && writtenText(stored);
}

/** The files that nodes have written, by the id of the node. */
export async function writtenBy(
  run: Pick<RunHandle, 'readResult'>,
  nodes: readonly NodeView[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const candidates = nodes.filter(({ result, effect }) => result?.kind === 'value' && effect !== 'read');
  for (const { id, result } of candidates.slice(0, MAX_WRITTEN)) {
    const text = await readWritten(run, result);
    if (text !== undefined) found.set(id, text);
  }
  return found;
}
