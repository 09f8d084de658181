/** A result out of the store, as text and as JSON. */

import type { RunSession } from '../../edge/project/index.ts';
import { StoreError, toIdLines, toResultJson, type Result } from '../../wire/results/index.ts';
import type { ResultHandle } from '../../wire/contract/index.ts';
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

/** The lines of a result for jsonl: a set has one record a line, anything else is one line. */
export function resultLines(result: Result): Iterable<unknown> {
  return result.kind === 'set' ? toResultJson(result.set).records : [resultRecord(result)];
}
