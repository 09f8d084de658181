/** Finds what a repetition of a closed run needs: its input and its last plan. */

import type { Client } from '@temporalio/client';
import { decodePlan, planDocument, type CompileResult } from '../plan/index.ts';
import { parsePlanInput, signedInput } from '../protocol/read-input.ts';
import { given, isRecord, type RunSettings, type RunSource } from '../protocol/index.ts';
import { DOCUMENTS, refOfDigest, resultsIn, type Store } from '../store/index.ts';
import { quoteForShell, quoteId } from '../plan/text/index.ts';
import { boundedBy } from './ask-run.ts';
import { ClientError, type ClientAddress } from './client-error.ts';
import type { RunHandle } from './run-handle.ts';
import { inputIn, startEvent } from '../protocol/executions.ts';

const EVENT_MS = 10_000;

export interface ClosedRunOptions {
  readonly client: Client;
  readonly place: ClientAddress;
  readonly store: Store;
}

/** Names a run: its workflow id and, if it is not the newest run with that id, the run id of one execution. */
export interface LocatedRun {
  readonly workflowId: string;
  readonly runId?: string;
}

/** Checks that a run is not open, as far as the server knows. @throws ClientError `invalid-input` if it is open */
export async function checkClosed({ workflowId, view }: RunHandle): Promise<void> {
  const found = await view(['times']).catch((error: unknown) => {
    if (error instanceof ClientError && error.code === 'no-run') return undefined;
    throw error;
  });
  if (found === undefined || found.times.endedAt !== undefined) return;
  const next = `wait for its end, or end it with "npx planwright kill ${quoteForShell(workflowId)} --comment WHY"`;
  throw new ClientError('invalid-input', `$.options.reuse: run ${quoteId(workflowId)} is open; ${next}`);
}

/**
 * Reads a run's last plan as a document, and the run's options.
 * @throws ClientError `no-run`, `no-worker`, or `invalid-input` if the plan cannot be written as a document
 */
export async function planOfRun(
  options: ClosedRunOptions,
  run: RunHandle,
  at: LocatedRun,
  compile: (document: unknown, settings: RunSettings) => Promise<CompileResult>,
): Promise<{ readonly document: unknown; readonly settings: RunSettings }> {
  const { store } = options;
  const { workflowId } = run;
  const input = signedInput(await inputOf(options, at));
  const settings = isRecord(input) && isRecord(input['options']) ? (input['options'] as RunSettings) : {};
  const { fresh: _, ...kept } = settings;
  const parsed = parsePlanInput(input);
  const own = parsed.ok ? await documentOf(parsed.source, store) : undefined;
  const { digest } = (await run.view(['plan'])).plan;
  if (digest === '' && own !== undefined) return { document: own, settings: kept };
  // If the plan was edited, or made from a goal, it is not the document in the run's input.
  const decoded = digest === '' ? undefined : decodePlan(await run.store.get(refOfDigest(digest)));
  for (const document of [own, decoded?.ok === true ? planDocument(decoded.plan) : undefined]) {
    const compiled = document === undefined ? undefined : await compile(document, kept);
    if (compiled?.ok === true && compiled.plan.digest === digest) return { document, settings: kept };
  }
  throw new ClientError(
    'invalid-input',
    `the plan that run ${quoteId(workflowId)} ended with (${digest.slice(0, 8) || 'none'}) is not the one it was started with, and cannot be written as a document; start the document with "npx planwright run FILE --reuse ${workflowId}"`,
  );
}

/** The text that a run was started with; undefined for a goal, or a plan that was sent as an object. */
export async function startText(options: ClosedRunOptions, at: LocatedRun): Promise<string | undefined> {
  const parsed = parsePlanInput(signedInput(await inputOf(options, at)));
  const document = parsed.ok ? await documentOf(parsed.source, options.store) : undefined;
  const text = document instanceof Uint8Array ? Buffer.from(document).toString() : document;
  return typeof text === 'string' ? text : undefined;
}

async function documentOf(source: RunSource, store: Store): Promise<unknown> {
  if ('ref' in source) return resultsIn(store, DOCUMENTS).get(source.ref);
  return 'document' in source ? source.document : undefined;
}

async function inputOf({ client, place }: ClosedRunOptions, at: LocatedRun): Promise<unknown> {
  const { workflowId } = at;
  const started = (runId = at.runId) => startEvent(client, place.namespace, { workflowId, ...given({ runId }) });
  return boundedBy(
    client,
    place,
    workflowId,
  )(async () => {
    const last = await started();
    const first = last?.firstExecutionRunId ?? '';
    const isFirst = first === '' || first === last?.originalExecutionRunId;
    return inputIn(client, isFirst ? last : await started(first));
  }, EVENT_MS);
}
