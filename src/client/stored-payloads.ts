/** Decodes payloads in descriptions and histories, since the SDK decodes only the results of its own calls. */

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { isRecord } from '../protocol/index.ts';
import { isEncrypting } from '../protocol/encryption/index.ts';
import { decodePayloads, startEvent } from '../protocol/executions.ts';
import { jsonIn } from '../plan/text/index.ts';

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
export async function decodeDescribed(client: Client, described: WorkflowExecutionDescription) {
  for (const one of described.raw.pendingActivities ?? []) await decodeActivity(client, one);
  return described;
}

/** Decodes the activities of a history. @throws EncryptionError with the id of a missing key */
export async function decodeHistory<Given extends History>(client: Client, history: Given): Promise<Given> {
  for (const event of history.events ?? []) {
    const activity = event.activityTaskScheduledEventAttributes ?? event.activityTaskStartedEventAttributes;
    if (activity != null) await decodeActivity(client, activity);
  }
  return history;
}

/**
 * Checks that an encrypted run's key is known, so that no message is sent unencrypted. @throws EncryptionError `no-key`
 */
export async function checkKeys(client: Client, namespace: string, workflowId: string): Promise<void> {
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
