/** Implements the calls of a run. */

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import {
  type Decision,
  CONTROLS,
  isWholeDigest,
  type Answer,
  type Control,
  type TracedDecision,
  type TraceEntry,
  isRecord,
} from '../protocol/index.ts';
import { clockText, jsonIn } from '../plan/text/index.ts';
import { readResult, resultsIn, runScope, type Store } from '../store/index.ts';
import { ANSWER_MS, askRun, boundedBy } from './ask-run.ts';
import { ClientError, noServer, noWorker, type ClientAddress } from './client-error.ts';
import { isServerThere } from './connect-client.ts';
import { type RunHandle, type SayOptions, documentToSend } from './run-handle.ts';
import { followRun } from './follow.ts';
import { withNodeIds } from './node-name.ts';
import { failingTask, idleDeployment, silenceOf } from './reach/index.ts';
import { waitForEnd, resultOfEnd, notDone } from './run-end.ts';
import { chainOf, deliverMessage, type SendableMessages, type Signer } from './send-message.ts';
import { readView, type ViewSource } from './view.ts';
import type { temporal } from '@temporalio/proto';
import { isEncrypting } from '../protocol/encryption/index.ts';
import { decodePayloads, startEvent } from '../protocol/executions.ts';

export interface RunHandleOptions {
  readonly client: Client;
  readonly store: Store;
  readonly place: ClientAddress;
  readonly signer?: Signer;
}

const HISTORY_MS = 30_000;

/** Makes a handle of a run. @param execution the run id of one execution; default: the newest */
export function createRunHandle(options: RunHandleOptions, workflowId: string, execution?: string): RunHandle {
  const { client, place, signer } = options;
  const handle = client.workflow.getHandle(workflowId, execution);
  const bounded = boundedBy(client, place, workflowId);
  const describe = () => bounded(() => handle.describe());
  const isThere = () => isServerThere(client);
  let opened: Promise<ReturnType<typeof resultsIn>> | undefined;
  const results = () =>
    (opened ??= chainOf(handle, bounded, execution)
      .then((firstRunId = '') =>
        resultsIn(options.store, runScope({ namespace: place.namespace, workflowId, firstRunId })),
      )
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      }));
  /** Why workers that poll get no new runs, and what to type; undefined if they get them. */
  const idleText = async (run: WorkflowExecutionDescription) => {
    if (run.raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion) return undefined;
    const idle = await idleDeployment({ client, namespace: place.namespace }, run.taskQueue);
    return idle && `no worker takes run ${workflowId}: ${idle}; nothing is lost meanwhile`;
  };
  const store = { place: options.store.place, get: async (ref: string) => (await results()).get(ref) };
  const asked: ViewSource = {
    store,
    ask: (request) =>
      bounded(() => askRun(handle, request)).catch(async (error: unknown) => {
        // If the server is unavailable, no worker answers either, so the error may be about the server.
        if (!(error instanceof ClientError) || error.code !== 'no-worker' || error.isStuck === true) throw error;
        if (!(await isThere())) throw noServer(place, error);
        const reach = { client, namespace: place.namespace };
        const described = await describe().catch(() => undefined);
        const failing = described && (await failingTask(reach, described).catch(() => undefined));
        if (failing !== undefined)
          throw new ClientError('no-worker', `run ${workflowId} stands still: ${failing}`, {
            cause: error,
            isStuck: true,
          });
        const { taskQueue } = described ?? place;
        const silence = await silenceOf(reach, taskQueue).catch(() => undefined);
        const idle = described && (await idleText(described).catch(() => undefined));
        if (idle !== undefined) throw new ClientError('no-worker', idle, error);
        throw noWorker({ ...place, taskQueue }, error.cause, silence);
      }),
    describe,
    decoded: (described) => bounded(() => decodeDescribed(client, described)),
    historyOf: (runId = execution) =>
      bounded(
        async () => decodeHistory(client, await client.workflow.getHandle(workflowId, runId).fetchHistory()),
        HISTORY_MS,
      ),
    firstRunId: () => chainOf(handle, bounded, execution),
    child: (id) => createRunHandle(options, id),
  };
  const tell = async <Name extends keyof SendableMessages>(
    name: Name,
    message: SendableMessages[Name],
    { answerMs = ANSWER_MS }: SayOptions = {},
  ) => {
    await bounded(() => checkKeys(client, place.namespace, workflowId));
    const named = name === 'answer' ? message : await withNodeIds(message, run);
    const said = signer === undefined ? named : await withWholeDigest(named, run);
    const idle = async () => {
      const described = await describe().catch(() => undefined);
      const text = described && (await idleText(described).catch(() => undefined));
      const { taskQueue } = described ?? place;
      return text ?? (await silenceOf({ client, namespace: place.namespace }, taskQueue).catch(() => undefined))?.busy;
    };
    return deliverMessage(handle, bounded, name, said, signer, { answerMs: Math.min(answerMs, ANSWER_MS), idle });
  };

  const run: RunHandle = {
    workflowId,
    store,
    view: (parts, more) => readView(asked, parts ?? (['status', 'nodes', 'open'] as never[]), more),
    follow: (following) => followRun(run, { ...asked, address: place.address, answers: isThere }, following),
    async decide(decision, more) {
      try {
        return await tell('decide', await withDocument(decision, options.store), more);
      } catch (error) {
        // If a run has ended, it cannot reply, but its trace shows whether it accepted the decision.
        const taken = isRepetition(error) ? await findAccepted(decision, run).catch(() => undefined) : undefined;
        if (taken === undefined) throw error;
        return { how: 'answered', reply: `taken already, at ${clockText(taken.at)}` };
      }
    },
    answer: (answer) => tell('answer', answer),
    control: (control) => tell('control', control),
    cancel: () => bounded(async () => void (await handle.cancel())),
    end: (signal) => waitForEnd(handle, place, signal),
    async result(signal) {
      const { result } = resultOfEnd(workflowId, await run.end(signal));
      if (result === undefined) throw notDone(workflowId, 'partial; end() names the results that there are');
      return readResult(store, result.ref);
    },
    readResult: (ref) => readResult(store, ref),
  };
  return run;
}

async function withDocument(decision: Decision, store: Store): Promise<Decision> {
  const { plan, ...rest } = decision;
  return plan === undefined || plan === null ? decision : { ...rest, ...(await documentToSend(plan, store)) };
}

function isRepetition(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false;
  return error.code === 'run-closed' || error.refusal === 'already-decided' || error.refusal === 'not-possible';
}

/** Completes the digest in a message about the open plan. Other messages stay as they are. */
export async function withWholeDigest<Message extends Decision | Answer | Control>(
  message: Message,
  run: Pick<RunHandle, 'view'>,
): Promise<Message> {
  const { digest } = message;
  const isWanted = 'action' in message ? CONTROLS[message.action].gated : true;
  const { shown } = message as Partial<Decision>;
  if (!isWanted || (isWholeDigest(digest) && (shown === undefined || isWholeDigest(shown)))) return message;
  const { digest: open, shown: now } = (await run.view(['plan'])).plan;
  if (!open.startsWith(digest?.toLowerCase() ?? '') || open === '') return message;
  const isShown = shown !== undefined && now?.startsWith(shown.toLowerCase()) === true;
  return { ...message, digest: open, ...(isShown && { shown: now }) };
}

/** The trace entry of this decision; undefined if the run has not accepted it or an opposite decision came later. */
export async function findAccepted(decision: Decision, run: Pick<RunHandle, 'view'>): Promise<TraceEntry | undefined> {
  let taken: TraceEntry | undefined;
  for (const entry of (await run.view(['trace'])).trace.entries) {
    if (entry.what !== 'decision' || entry.said === undefined) continue;
    if (isSame(decision, entry.said)) taken = entry;
    else if (!entry.said.kind.startsWith('approve')) taken = undefined;
  }
  return taken;
}

/** Whether a trace entry is about this decision. Always false for an edit, since the trace lacks its plan. */
function isSame(decision: Decision, said: TracedDecision): boolean {
  const { kind, digest, by, role, nodes } = decision;
  if (kind === 'edit' || said.kind !== kind || said.by !== by.trim() || said.role !== role) return false;
  const other = said.digest;
  const [short, long] = other.length < digest.length ? [other, digest.toLowerCase()] : [digest.toLowerCase(), other];
  return long.startsWith(short) && JSON.stringify(said.nodes) === JSON.stringify(nodes);
}

type Payloads = temporal.api.common.v1.IPayloads | null;
type Failure = temporal.api.failure.v1.IFailure | null;
type History = temporal.api.history.v1.IHistory;
interface Activity {
  readonly activityType?: { readonly name?: string | null } | null;
  heartbeatDetails?: Payloads;
  input?: Payloads;
  lastFailure?: Failure;
}

/** Decodes the activities in a description. @throws EncryptionError with the id of a missing key */
async function decodeDescribed(client: Client, described: WorkflowExecutionDescription) {
  for (const one of described.raw.pendingActivities ?? []) await decodeActivity(client, one);
  return described;
}

/** Decodes the activities of a history. @throws EncryptionError with the id of a missing key */
async function decodeHistory<Given extends History>(client: Client, history: Given): Promise<Given> {
  for (const event of history.events ?? []) {
    const activity = event.activityTaskScheduledEventAttributes ?? event.activityTaskStartedEventAttributes;
    if (activity != null) await decodeActivity(client, activity);
  }
  return history;
}

/**
 * Checks that the key of an encrypted run is known. Otherwise a message would be sent unencrypted.
 * @throws EncryptionError `no-key`
 */
async function checkKeys(client: Client, namespace: string, workflowId: string): Promise<void> {
  const { payloadCodecs } = client.options.loadedDataConverter;
  if (payloadCodecs.length === 0 || payloadCodecs.some(isEncrypting)) return;
  const { input } = (await startEvent(client, namespace, { workflowId })) ?? {};
  await decoded(client, input?.payloads ?? []);
}

async function decodeActivity(client: Client, activity: Activity): Promise<void> {
  const { activityType, heartbeatDetails, input, lastFailure } = activity;
  for (const payloads of [heartbeatDetails, activityType?.name === 'runPart' ? input : undefined]) {
    if (payloads?.payloads != null) payloads.payloads = await decoded(client, payloads.payloads);
  }
  if (lastFailure?.encodedAttributes == null) return;
  const [texts] = await decoded(client, [lastFailure.encodedAttributes]);
  const told = jsonIn(texts?.data ?? '');
  if (isRecord(told) && typeof told['message'] === 'string') lastFailure.message = told['message'];
}

function decoded(client: Client, payloads: temporal.api.common.v1.IPayload[]) {
  return decodePayloads(client.options.loadedDataConverter.payloadCodecs, payloads);
}
