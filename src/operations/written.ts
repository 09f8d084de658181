/** The values that nodes gave, as far as they are short: the file of records that one tells of, else the value itself. */

import type { RunHandle } from '../edge/client/index.ts';
import type { JsonValue } from '../language/plan/index.ts';
import { counted, oneLine } from '../language/text/index.ts';
import { isRecord, type NodeView, type ResultHandle } from '../wire/contract/index.ts';
import type { Result } from '../wire/results/index.ts';

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

/** The file that a result tells of, as far as the store at hand has it. */
export async function readWritten(
  run: Pick<RunHandle, 'readResult'>,
  result: ResultHandle | undefined,
): Promise<string | undefined> {
  if (result?.kind !== 'value' || result.bytes > MAX_WRITTEN_BYTES) return undefined;
  const stored = await readStored(run, result);
  return stored && writtenText(stored);
}

/** By the id of the node what the store at hand has of the nodes that gave a value. */
export async function readGiven(
  run: Pick<RunHandle, 'readResult'>,
  nodes: readonly NodeView[],
): Promise<ReadonlyMap<string, GivenValue>> {
  const found = new Map<string, GivenValue>();
  const told = nodes.filter(mayTell);
  for (let at = 0; at < told.length; at += AT_ONCE) {
    const page = told.slice(at, at + AT_ONCE);
    const stored = await Promise.all(page.map(({ result }) => readStored(run, result)));
    stored.forEach((one, place) => {
      const given = one && givenIn(one);
      if (given !== undefined) found.set(page[place]!.id, given);
    });
  }
  return found;
}

async function readStored(run: Pick<RunHandle, 'readResult'>, result: ResultHandle | undefined) {
  return run.readResult(result?.ref ?? '').catch(() => undefined);
}

function givenIn(stored: Result): GivenValue | undefined {
  const written = writtenText(stored);
  if (written !== undefined) return { written };
  const isShort = stored.kind === 'value' && JSON.stringify(stored.value).length <= MAX_VALUE;
  return isShort ? { value: stored.value } : undefined;
}

function mayTell({ result, effect }: NodeView): boolean {
  const most = effect === undefined || effect === 'read' ? MAX_VALUE_BYTES : MAX_WRITTEN_BYTES;
  return result?.kind === 'value' && result.bytes <= most;
}
