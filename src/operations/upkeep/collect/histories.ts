/** The runs that a server knows, and every text in their histories. */

import type { Client } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { messageOf } from '../../../plan/text/index.ts';
import { ClientError } from '../../../client/index.ts';
import { AGENT_WORKFLOW, isRecord, PLAN_WORKFLOW, type Owner } from '../../../protocol/index.ts';

/** A namespace of a server. */
export interface Place {
  readonly client: Client;
  readonly namespace: string;
  readonly address: string;
}

/** One history of a run: a long run has several. */
export interface Execution extends Omit<Owner, 'chain'> {
  readonly place: Place;
  readonly runId: string;
  readonly isOpen: boolean;
}

/** What is known of a namespace. */
export interface Terms {
  /** As its server has made it. */
  readonly id: string;
  /** How long a closed run is known, in milliseconds. */
  readonly retentionMs: number;
}

const TYPES = [PLAN_WORKFLOW, AGENT_WORKFLOW];
const ANSWER_MS = 30_000;
/** The token of the first page. */
const FIRST: Uint8Array = new Uint8Array();
const PAGE = 1000;
/** Events that are asked for at once; one by one where they are larger together than a message may be. */
const EVENTS = 200;
const [NOT_FOUND, RESOURCE_EXHAUSTED, UNIMPLEMENTED] = [5, 8, 12];
/** WORKFLOW_EXECUTION_STATUS_RUNNING and _PAUSED of the Temporal API. */
const OPEN = [1, 8];

export async function termsOf(place: Place): Promise<Terms> {
  const { client, namespace } = place;
  const told = await ask(place, () => client.workflowService.describeNamespace({ namespace }));
  const seconds = Number(told.config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  return { id: told.namespaceInfo?.id ?? '', retentionMs: seconds * 1000 };
}

export async function* executionsOf(place: Place): AsyncGenerator<Execution> {
  const { client, namespace } = place;
  for (const type of TYPES) {
    for (let nextPageToken = FIRST; ;) {
      const request = { namespace, query: `WorkflowType = '${type}'`, pageSize: PAGE, nextPageToken };
      const page = await ask(place, () => client.workflowService.listWorkflowExecutions(request));
      for (const { execution, status } of page.executions) {
        const { workflowId, runId } = execution ?? {};
        if (typeof workflowId !== 'string' || typeof runId !== 'string') continue;
        yield { place, namespace, workflowId, runId, isOpen: OPEN.includes(Number(status)) };
      }
      nextPageToken = page.nextPageToken;
      if (nextPageToken.length === 0) break;
    }
  }
}

/** The current execution of a run whose type or listing is not ours to trust; undefined where the server has none of that id. */
export async function executionOf(place: Place, workflowId: string): Promise<Execution | undefined> {
  const { client, namespace } = place;
  const request = { namespace, execution: { workflowId } };
  const found = await ask(place, () => client.workflowService.describeWorkflowExecution(request)).catch(orGone);
  const { execution, status } = found?.workflowExecutionInfo ?? {};
  if (found === undefined || typeof execution?.runId !== 'string') return undefined;
  return { place, namespace, workflowId, runId: execution.runId, isOpen: OPEN.includes(Number(status)) };
}

/** Hears what stands in a history. */
export interface Reader {
  text(text: string): void;
  /** The run whose history it is. */
  chain(chain: string): void;
  /** A run that it has started: it is needed as long as this one is. */
  child(workflowId: string): void;
}

/** @returns false where the server does not have it any more */
export async function readHistory({ place, workflowId, runId }: Execution, reader: Reader): Promise<boolean> {
  const { client, namespace } = place;
  const codecs = client.options.loadedDataConverter.payloadCodecs;
  const execution = { workflowId, runId };
  let maximumPageSize = EVENTS;
  for (let nextPageToken = FIRST; ;) {
    const request = { namespace, execution, maximumPageSize, nextPageToken };
    const page = await ask(place, () => client.workflowService.getWorkflowExecutionHistory(request)).catch(
      (error: unknown) => {
        if (codeOf(error) === RESOURCE_EXHAUSTED && maximumPageSize > 1) return 'large' as const;
        return orGone(error);
      },
    );
    if (page === undefined) return false;
    if (page === 'large') {
      maximumPageSize = 1;
      continue;
    }
    for (const event of page.history?.events ?? []) {
      const { workflowId: child } = event.startChildWorkflowExecutionInitiatedEventAttributes ?? {};
      if (typeof child === 'string') reader.child(child);
      const { firstExecutionRunId: chain } = event.workflowExecutionStartedEventAttributes ?? {};
      if (typeof chain === 'string') reader.chain(chain);
      await readTexts(event, codecs, reader);
    }
    nextPageToken = page.nextPageToken;
    if (nextPageToken.length === 0) return true;
  }
}

/** What schedules will start. */
export async function readSchedules(place: Place, reader: Pick<Reader, 'text'>): Promise<void> {
  const { client, namespace } = place;
  const codecs = client.options.loadedDataConverter.payloadCodecs;
  for (let nextPageToken = FIRST; ;) {
    const request = { namespace, maximumPageSize: PAGE, nextPageToken };
    const page = await ask(place, () => client.workflowService.listSchedules(request)).catch((error: unknown) => {
      if (codeOf(error) === UNIMPLEMENTED) return undefined;
      throw error;
    });
    for (const { scheduleId } of page?.schedules ?? []) {
      const told = await ask(place, () =>
        client.workflowService.describeSchedule({ namespace, scheduleId: scheduleId ?? '' }),
      ).catch(orGone);
      await readTexts(told?.schedule ?? {}, codecs, reader);
    }
    if (page === undefined || page.nextPageToken.length === 0) return;
    nextPageToken = page.nextPageToken;
  }
}

/** Every text and every byte, at any depth: nothing here knows what an event of a later version looks like. */
async function readTexts(value: unknown, codecs: readonly PayloadCodec[], reader: Pick<Reader, 'text'>): Promise<void> {
  if (typeof value === 'string') return reader.text(value);
  if (value instanceof Uint8Array) return reader.text(Buffer.from(value).toString('latin1'));
  if (Array.isArray(value)) {
    for (const one of value) await readTexts(one, codecs, reader);
    return;
  }
  if (!isRecord(value)) return;
  const payload = isPayload(value) ? await decoded(value, codecs) : value;
  for (const one of Object.values(payload))
    if (typeof one === 'object' || typeof one === 'string') await readTexts(one, codecs, reader);
}

function isPayload(value: object): value is Payload {
  return 'metadata' in value && 'data' in value && value.data instanceof Uint8Array;
}

/** An encoding that cannot be read may hide a reference. */
async function decoded(payload: Payload, codecs: readonly PayloadCodec[]): Promise<Payload> {
  let payloads = [payload];
  for (const codec of codecs) payloads = await codec.decode(payloads);
  for (const { metadata } of payloads) {
    const encoding = Buffer.from(metadata?.['encoding'] ?? []).toString('latin1');
    if (encoding !== '' && !/^(?:json|binary)\/(?:plain|null|protobuf)$/.test(encoding))
      throw new UnreadableHistory(encoding);
  }
  return payloads[0] ?? payload;
}

/** A history holds something that nobody here can read. */
export class UnreadableHistory extends Error {
  override readonly name = 'UnreadableHistory';
  constructor(encoding: string) {
    super(
      `a history has a payload in the encoding ${JSON.stringify(encoding)}, which cannot be read here; what it refers to is unknown. ` +
        'Nothing was removed. Give this command the codec that the workers have',
    );
  }
}

/** A server that does not answer ends everything: what it knows is unknown. */
async function ask<T>({ client, address }: Place, call: () => Promise<T>): Promise<T> {
  try {
    return await client.connection.withDeadline(Date.now() + ANSWER_MS, call);
  } catch (error) {
    if ([NOT_FOUND, RESOURCE_EXHAUSTED, UNIMPLEMENTED].includes(codeOf(error) ?? 0)) throw error;
    const message = `the server at ${address} does not say what its runs refer to (${messageOf(error)}). Nothing was removed`;
    throw new ClientError('no-server', message, { cause: error });
  }
}

function orGone(error: unknown): undefined {
  if (codeOf(error) === NOT_FOUND) return undefined;
  throw error;
}

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'code' in error ? Number(error.code) : undefined;
}
