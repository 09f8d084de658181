/** The calls of a run, carried out over its workflow. */

import type { Client, WorkflowHandle } from '@temporalio/client';
import {
  ENTRIES,
  type Decision,
  type NodesPage,
  type OpenItem,
  type PageRequest,
  type QueryName,
  type TraceEntry,
  type TracePage,
  type WaitingRun,
} from '../protocol/index.ts';
import { followRun } from './follow/index.ts';
import { readResult, type ResultStore } from '../store/index.ts';
import { clockText } from '../plan/text/index.ts';
import { attemptsOf, feedbackOf } from './attempts.ts';
import { readBegun } from './begun.ts';
import { ClientError, noServer, noWorker, type Place } from './client-error.ts';
import { ANSWER_MS, askRun, boundedBy, readAs } from './ask-run.ts';
import { documentToSend } from './document.ts';
import { endOf, leftBy, notDone } from './run-end.ts';
import { unattended } from './reach/index.ts';
import { readRounds } from './read-rounds.ts';
import { findTaken, withWholeDigest } from './named-digest.ts';
import { isServerThere } from './connect-client.ts';
import { withNodeIds } from './node-name.ts';
import { checkKeys, decodeDescribed, decodeHistory } from './stored-payloads.ts';
import { chainOf, say, type Sayable, type Signer } from './say.ts';
import type { RunHandle, RunTimes, SayOptions } from './run-handle.ts';

export interface RunHandleOptions {
  readonly client: Client;
  readonly store: ResultStore;
  readonly place: Place;
  readonly signer?: Signer;
}

/** A history may have tens of thousands of events. */
const HISTORY_MS = 30_000;
const NODES_PER_PAGE = 500;
const ENTRIES_PER_PAGE = 1000;
const ITEMS_PER_PAGE = 100;

/** @param execution the run id of one execution; absent: the newest of the id */
export function createRunHandle(options: RunHandleOptions, workflowId: string, execution?: string): RunHandle {
  const { client, store, place, signer } = options;
  const handle = client.workflow.getHandle(workflowId, execution);
  const bounded = boundedBy(client, place, workflowId);
  const describe = () =>
    bounded(async () => {
      const described = await handle.describe();
      await decodeDescribed(client, described);
      return described;
    });
  const historyOf = (runId = execution) =>
    bounded(
      async () => decodeHistory(client, await client.workflow.getHandle(workflowId, runId).fetchHistory()),
      HISTORY_MS,
    );
  const ask = <T>(query: QueryName, page: PageRequest = {}) =>
    bounded(() => askRun<T>(handle, query, page)).catch(async (error: unknown) => {
      // A server that is gone leaves a question as unanswered as a worker that is.
      if (!(error instanceof ClientError) || error.code !== 'no-worker') throw error;
      if (!(await isServerThere(client))) throw noServer(place, error);
      const taskQueue = await describe().then(
        (described) => described.taskQueue,
        () => place.taskQueue,
      );
      const nobody = await unattended({ client, namespace: place.namespace }, taskQueue).catch(() => undefined);
      throw noWorker({ ...place, taskQueue }, error.cause, nobody);
    });
  const tell = async <Name extends keyof Sayable>(
    name: Name,
    message: Sayable[Name],
    { answerMs = ANSWER_MS }: SayOptions = {},
  ) => {
    await bounded(() => checkKeys(client, place.namespace, workflowId));
    const named = name === 'answer' ? message : await withNodeIds(message, run);
    const said = signer === undefined ? named : await withWholeDigest(named, run.plan);
    return say(handle, bounded, name, said, signer, Math.min(answerMs, ANSWER_MS));
  };

  /** A run's own items, then those of the agents at work in which something waits, and of theirs. */
  const waiting = async function* (): AsyncGenerator<OpenItem> {
    // An item that is closed between two pages makes the second begin anew.
    const told = new Set<string>();
    for (let after: string | undefined; ;) {
      const page: readonly (OpenItem | WaitingRun)[] = await ask('questions', { after, limit: ITEMS_PER_PAGE });
      const items = page.filter((item) => 'id' in item);
      const fresh = items.filter(({ id }) => !told.has(id));
      for (const { id } of fresh) told.add(id);
      yield* fresh;
      if (items.length === ITEMS_PER_PAGE) {
        after = items.at(-1)?.id;
        continue;
      }
      for (const item of page) if ('run' in item) yield* run.child(item.run).questions();
      return;
    }
  };

  const run: RunHandle = {
    workflowId,
    status: () => ask('status'),
    chain: () => chainOf(handle, bounded, execution),
    plan: () => ask('plan'),
    tracePage: (page = {}) => ask('trace', page),
    async *trace(after = 0) {
      for (let from: number | undefined = after; from !== undefined;) {
        const page: TracePage = await run.tracePage({ after: from, limit: ENTRIES_PER_PAGE });
        yield* page.stored === undefined ? page.entries : await storedEntries(store, page.stored, from);
        from = page.next;
      }
    },
    async rounds({ notes, ...range } = {}) {
      const newest = notes ?? (await run.status()).loop?.notes;
      return newest === undefined ? [] : readRounds(store, newest, range);
    },
    questions: waiting,
    async *nodes() {
      for (let after: string | undefined; ;) {
        const page: NodesPage = await ask('nodes', { after, limit: NODES_PER_PAGE });
        yield* page.nodes;
        if (page.next === undefined) return;
        after = page.next;
      }
    },
    attempts: async () => attemptsOf(await describe()),
    begun: (reading) => readBegun(historyOf, reading),
    times: async () => timesOf(await bounded(() => handle.describe())),
    feedback: async () => feedbackOf(await describe()),
    child: (id) => createRunHandle(options, id),
    async decide(decision, more) {
      try {
        return await tell('decide', await withDocument(decision, store), more);
      } catch (error) {
        // A run that has ended without a worker to ask tells nobody.
        const taken = isRepetition(error) ? await findTaken(decision, run.trace()).catch(() => undefined) : undefined;
        if (taken === undefined) throw error;
        return { how: 'answered', reply: `taken already, at ${clockText(taken.at)}` };
      }
    },
    answer: (answer) => tell('answer', answer),
    control: (control) => tell('control', control),
    cancel: () => bounded(async () => void (await handle.cancel())),
    follow: ({ signal = new AbortController().signal, everyMs } = {}) =>
      followRun(run, {
        signal,
        server: { address: place.address, answers: () => isServerThere(client) },
        ...(everyMs !== undefined && { everyMs }),
      }),
    end: (signal) => endOf(handle, place, signal),
    async result(signal) {
      const { result } = leftBy(workflowId, await run.end(signal));
      if (result === undefined) throw notDone(workflowId, 'partial; end() names the results that there are');
      return readResult(store, result.ref);
    },
    readResult: (ref) => readResult(store, ref),
  };
  return run;
}

function timesOf({ startTime, closeTime }: Awaited<ReturnType<WorkflowHandle['describe']>>): RunTimes {
  return {
    startedAt: startTime.toISOString(),
    ...(closeTime !== undefined && { endedAt: closeTime.toISOString() }),
  };
}

/** The older entries of a run that has continued as new; they are in the result store. */
async function storedEntries(store: ResultStore, ref: string, after: number): Promise<readonly TraceEntry[]> {
  const given: unknown = JSON.parse(Buffer.from(await store.get(ref)).toString('utf8'));
  const entries = readAs(ENTRIES, given, `the store, under ${ref},`) as readonly TraceEntry[];
  return entries.filter(({ seq }) => seq > after);
}

async function withDocument(decision: Decision, store: ResultStore): Promise<Decision> {
  const { plan, ...rest } = decision;
  return plan === undefined || plan === null ? decision : { ...rest, ...(await documentToSend(plan, store)) };
}

function isRepetition(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false;
  return error.code === 'run-closed' || error.refusal === 'already-decided' || error.refusal === 'not-possible';
}
