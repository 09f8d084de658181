/** A server that knows the runs that a test tells it, and answers as Temporal does. */

import type { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import type { Place } from '../../../src/operations/upkeep/collect/index.ts';

export interface ToldRun {
  readonly workflowId: string;
  readonly isOpen?: boolean;
  readonly type?: string;
  /** What its events hold, one payload each. */
  readonly said: unknown[];
  readonly children?: readonly string[];
  /** Not in any listing, as where visibility lags. */
  readonly isUnlisted?: boolean;
}

export interface FalseServer {
  readonly place: Place;
  readonly runs: ToldRun[];
  readonly schedules: unknown[];
  /** Called before each answer. It may throw, or change what is known. */
  before: (call: string) => void;
  codecs: PayloadCodec[];
  encoding: string;
  retentionDays: number;
}

export function createFalseServer(namespace = 'default', id = `id of ${namespace}`): FalseServer {
  const payload = (value: unknown) => ({
    metadata: { encoding: Buffer.from(server.encoding) },
    data: typeof value === 'string' ? Buffer.from(value) : Buffer.from(JSON.stringify(value)),
  });
  const notFound = () => Object.assign(new Error('not found'), { code: 5 });
  const find = ({ workflowId, runId }: { workflowId?: string; runId?: string }) =>
    server.runs.find((run, at) => run.workflowId === workflowId && (runId === undefined || runId === `run ${at}`));
  const statusOf = ({ isOpen = false }: ToldRun) => (isOpen ? 1 : 2);
  const answers = {
    describeNamespace: () => ({
      namespaceInfo: { id },
      config: { workflowExecutionRetentionTtl: { seconds: server.retentionDays * 86_400 } },
    }),
    listWorkflowExecutions({ query, nextPageToken }: { query: string; nextPageToken: Uint8Array }) {
      const all = server.runs
        .map((run, at) => ({ run, at }))
        .filter(({ run: { type = 'planWorkflow', isUnlisted } }) => isUnlisted !== true && query.includes(`'${type}'`));
      const from = Number(Buffer.from(nextPageToken).toString());
      // Pages of two, so that there are several.
      return {
        executions: all.slice(from, from + 2).map(({ run, at }) => ({
          execution: { workflowId: run.workflowId, runId: `run ${at}` },
          status: statusOf(run),
        })),
        nextPageToken: from + 2 < all.length ? Buffer.from(String(from + 2)) : new Uint8Array(),
      };
    },
    describeWorkflowExecution({ execution }: { execution: { workflowId: string } }) {
      const run = find(execution);
      if (run === undefined) throw notFound();
      const runId = `run ${server.runs.indexOf(run)}`;
      return { workflowExecutionInfo: { execution: { workflowId: run.workflowId, runId }, status: statusOf(run) } };
    },
    getWorkflowExecutionHistory({
      execution,
      maximumPageSize,
      nextPageToken,
    }: {
      execution: object;
      maximumPageSize: number;
      nextPageToken: Uint8Array;
    }) {
      const run = find(execution);
      if (run === undefined) throw notFound();
      const from = Number(Buffer.from(nextPageToken).toString());
      const events = [
        { workflowExecutionStartedEventAttributes: { firstExecutionRunId: `chain of ${run.workflowId}` } },
        ...run.said.map((value) => ({
          activityTaskCompletedEventAttributes: { result: { payloads: [payload(value)] } },
        })),
        ...(run.children ?? []).map((workflowId) => ({
          startChildWorkflowExecutionInitiatedEventAttributes: { workflowId },
        })),
      ];
      if (maximumPageSize > 1 && JSON.stringify(run.said).includes('too large together'))
        throw Object.assign(new Error('Received message larger than max'), { code: 8 });
      const to = from + maximumPageSize;
      return {
        history: { events: events.slice(from, to) },
        nextPageToken: to < events.length ? Buffer.from(String(to)) : new Uint8Array(),
      };
    },
    listSchedules: () => ({
      schedules: server.schedules.map((_, at) => ({ scheduleId: String(at) })),
      nextPageToken: new Uint8Array(),
    }),
    describeSchedule: ({ scheduleId }: { scheduleId: string }) => ({
      schedule: { action: { startWorkflow: { input: { payloads: [payload(server.schedules[Number(scheduleId)])] } } } },
    }),
  };
  const workflowService = Object.fromEntries(
    Object.entries(answers).map(([call, answer]) => [
      call,
      async (request: never) => {
        server.before(call);
        return Promise.resolve(answer(request));
      },
    ]),
  );
  const server: FalseServer = {
    place: undefined as unknown as Place,
    runs: [],
    schedules: [],
    before: () => undefined,
    codecs: [],
    encoding: 'json/plain',
    retentionDays: 1,
  };
  const client = {
    connection: { withDeadline: (_deadline: number, work: () => Promise<unknown>) => work() },
    workflowService,
    options: {
      loadedDataConverter: {
        get payloadCodecs() {
          return server.codecs;
        },
      },
    },
  } as unknown as Client;
  return Object.assign(server, { place: { client, namespace, address: '127.0.0.1:7233' } });
}
