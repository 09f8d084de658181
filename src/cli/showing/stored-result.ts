/** A result out of the store, as text and as JSON. */

import type { RunSession } from '../../edge/project/index.ts';
import { StoreError, toIdLines, toResultJson, type Result } from '../../wire/results/index.ts';
import { isRecord, type NodeView, type ResultHandle } from '../../wire/contract/index.ts';
import { counted, oneLine } from '../../language/text/index.ts';
import { CliError } from '../cli-error.ts';

/** @throws CliError NOT_IN_STORE that names the store. */
export async function readStored(
  { run, store }: Pick<RunSession, 'run' | 'store'>,
  { ref }: ResultHandle,
): Promise<Result> {
  try {
    return await run.readResult(ref);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'not-found') throw error;
    const message =
      `the result store ${store.place} does not have ${ref}, a result of run ${run.workflowId}: ` +
      'this command and the worker do not share a store. Name the one of the worker with --store DIR, --config FILE or PLANWRIGHT_STORE';
    throw new CliError('NOT_IN_STORE', message, { store: store.place, ref });
  }
}

export function resultRecord(result: Result): unknown {
  switch (result.kind) {
    case 'set':
      return toResultJson(result.set);
    case 'value':
      return { ok: true, kind: 'value', value: result.value };
    case 'text':
      return { ok: true, kind: 'text', text: result.text };
  }
}

/** The text of a result; a set has one id a line, in order. */
export function resultText(result: Result): string {
  switch (result.kind) {
    case 'set':
      return toIdLines(result.set);
    case 'value':
      return JSON.stringify(result.value, null, 2);
    case 'text':
      return result.text;
  }
}

/** Bytes of a stored value that may tell of a file, and how many such values of a run are looked at. */
const MAX_WRITTEN_BYTES = 16_384;
const MAX_WRITTEN = 200;

/** `2 records -> result.bed`, of a value that tells of a file of records, as that of `records.write` does. */
export function writtenText(result: Result): string | undefined {
  if (result.kind !== 'value' || !isRecord(result.value)) return undefined;
  const { path, records, sha256 } = result.value;
  if (typeof path !== 'string' || typeof records !== 'number' || typeof sha256 !== 'string') return undefined;
  return `${counted(records, 'record')} -> ${oneLine(path)}`;
}

/** The files that nodes have written, in words, as far as the store that is at hand tells them; by the id of the node. */
export async function readWritten(
  run: RunSession['run'],
  nodes: readonly NodeView[],
): Promise<ReadonlyMap<string, string>> {
  const candidates = nodes.filter(
    ({ result, effect }) => result?.kind === 'value' && result.bytes <= MAX_WRITTEN_BYTES && effect !== 'read',
  );
  const found = new Map<string, string>();
  for (const { id, result } of candidates.slice(0, MAX_WRITTEN)) {
    const stored = result && (await run.readResult(result.ref).catch(() => undefined));
    const text = stored && writtenText(stored);
    if (text !== undefined) found.set(id, text);
  }
  return found;
}

/** The lines of a result for jsonl: a set has one record a line, anything else is one line. */
export function resultLines(result: Result): Iterable<unknown> {
  return result.kind === 'set' ? toResultJson(result.set).records : [resultRecord(result)];
}
