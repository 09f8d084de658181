/** One run, as a program talks to it. Every call has a deadline; a run itself may take days. */

import type { Client, WorkflowHandle } from '@temporalio/client';
import {
  ASK_AGAIN,
  UNHEARD,
  type Answer,
  type Control,
  type Decision,
  type NodesPage,
  type NodeView,
  type OpenItem,
  type PageRequest,
  type PlanView,
  type QueryName,
  type RoundRecord,
  type RunStatus,
  type TraceEntry,
  type TracePage,
} from '../contract/index.ts';
import { followRun, type RunView } from '../follow/index.ts';
import { readResult, type Result, type ResultStore } from '../results/index.ts';
import { clockText } from '../text/index.ts';
import { attemptsOf, feedbackOf, type AttemptView } from './attempts.ts';
import { readBegun, type Begun, type BegunOptions } from './begun.ts';
import { ClientError, toClientError, type Place } from './client-error.ts';
import { documentToSend } from './document.ts';
import { leftBy, notDone } from './left-by.ts';
import { readRounds, type RoundRange } from './read-rounds.ts';
import { endOf, type RunEnd } from './run-end.ts';
import { findTaken } from './repeated.ts';
import { withWholeDigest } from './whole-digest.ts';
import { isServerThere } from './server-there.ts';
import { withNodeIds } from './node-name.ts';
import { say, type Bounded, type Sayable, type Signer, type Told } from './say.ts';

export interface RunHandle {
  readonly workflowId: string;
  status(): Promise<RunStatus>;
  plan(): Promise<PlanView>;
  nodes(): AsyncIterable<NodeView>;
  /** The attempts at nodes that are under way, as the server knows them; needs no worker. */
  attempts(): Promise<readonly AttemptView[]>;
  /**
   * Who finished nodes, and in how many attempts, read from the histories of the run, the newest first; needs no worker.
   * Says in `missing` where an earlier history of a long run was not read or is gone.
   */
  begun(options?: BegunOptions): Promise<Begun>;
  /** When the run began and ended, as the server has it; needs no worker. */
  times(): Promise<RunTimes>;
  /** What the planner's model has written so far of the plan under way, a line each; needs no worker. */
  feedback(): Promise<readonly string[]>;
  /** The run of an agent that works for this one, as `status().children` names it. */
  child(workflowId: string): RunHandle;
  /** What happened and who said what, in order, from the entry after `after` on. */
  trace(after?: number): AsyncIterable<TraceEntry>;
  /**
   * The rounds of a run that decides step by step, in order: of each who decided, the stages visited, the decision, and how
   * the step before ended. With `last` the newest so many, with `from` those from this round on;
   * with `notes`, as `status().loop` has them, the run itself is not asked. Needs the result store of the run.
   * @throws StoreError where the store is another one
   */
  rounds(options?: RoundsOptions): Promise<readonly RoundRecord[]>;
  /** A page of it (default 200 entries, at most 1000), with the number of entries that were not kept. */
  tracePage(page?: { readonly after?: number; readonly limit?: number }): Promise<TracePage>;
  /**
   * What the run waits for a person to say, and then what waits in the agents that work for it, each once. An item names in
   * `workflowId` the run to address.
   */
  questions(): AsyncIterable<OpenItem>;
  /**
   * Says a decision, an answer or an operator's word, and waits until the run answers. Without a worker it is left as a
   * signal, which the server keeps until one is there. The `plan` of an edit may be text, bytes or parsed JSON.
   * To say the same again is no mistake: it counts once.
   * @throws ClientError `refused` or `stale` with the run's reason, its `refusal` and, of an edit, the `issues`.
   */
  decide(decision: Decision, options?: SayOptions): Promise<Told>;
  answer(answer: Answer): Promise<Told>;
  control(control: Control): Promise<Told>;
  cancel(): Promise<void>;
  /**
   * Every view of the run from now to its end, as `planwright watch` shows them: how it stands, its nodes, what waits for a
   * person; the last one has its `end`. While no worker or no server answers, a view says so in `trouble`.
   * @throws the reason of the signal, which ends the watch and not the run
   */
  follow(options?: RunFollowOptions): AsyncIterable<RunView>;
  /** Waits for the end, through outages of the server. `signal` ends the wait, not the run. */
  end(signal?: AbortSignal): Promise<RunEnd>;
  /**
   * Waits for the end, and reads what the plan's root came to from the result store.
   * @throws ClientError `not-done` with the reason where the run ended otherwise, `invalid-plan` where its worker refused
   * the plan; StoreError where the store is another one
   */
  result(signal?: AbortSignal): Promise<Result>;
  /** Reads the content of a handle, such as those in `end()` and of `nodes()`. */
  readResult(ref: string): Promise<Result>;
}

export interface RoundsOptions extends RoundRange {
  readonly notes?: string;
}

export interface SayOptions {
  /** Milliseconds after which the message is left with the server, as without a worker. Default and at most 5000. */
  readonly answerMs?: number;
}

export interface RunFollowOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignal;
  /** Milliseconds between two questions to the run. Default 300. */
  readonly everyMs?: number;
}

/** ISO 8601. Of a run that went on in a new history `startedAt` is the beginning of the last one; its status has the first. */
export interface RunTimes {
  readonly startedAt: string;
  /** Absent while it goes on. */
  readonly endedAt?: string;
}

export interface RunHandleOptions {
  readonly client: Client;
  readonly store: ResultStore;
  readonly place: Place;
  readonly signer?: Signer;
}

/** How long a question to a worker may take; it is answered in milliseconds when there is one. */
const ANSWER_MS = 5000;
/** A history may have tens of thousands of events. */
const HISTORY_MS = 30_000;
const BETWEEN_MS = 50;
const NODES_PER_PAGE = 500;
const ENTRIES_PER_PAGE = 1000;
const ITEMS_PER_PAGE = 100;

export function createRunHandle(options: RunHandleOptions, workflowId: string): RunHandle {
  const { client, store, place, signer } = options;
  const handle = client.workflow.getHandle(workflowId);
  const bounded: Bounded = (work, ms = ANSWER_MS) =>
    client.connection.withDeadline(Date.now() + ms, work).catch((error: unknown) => {
      throw toClientError(error, place, workflowId);
    });
  const ask = <T>(query: QueryName, page: PageRequest = {}) =>
    bounded(() => patiently(() => askOnce<T>(handle, query, page)));
  const tell = async <Name extends keyof Sayable>(
    name: Name,
    message: Sayable[Name],
    { answerMs = ANSWER_MS }: SayOptions = {},
  ) => {
    const named = name === 'answer' ? message : await withNodeIds(message, run);
    const said = signer === undefined ? named : await withWholeDigest(named, run.plan);
    return say(handle, bounded, name, said, signer, Math.min(answerMs, ANSWER_MS));
  };

  const own = async function* (): AsyncGenerator<OpenItem> {
    // An item that is closed between two pages makes the second begin anew.
    const told = new Set<string>();
    for (let after: string | undefined; ;) {
      const page: readonly OpenItem[] = await ask('questions', { after, limit: ITEMS_PER_PAGE });
      const fresh = page.filter(({ id }) => !told.has(id));
      for (const { id } of fresh) told.add(id);
      yield* fresh;
      if (page.length < ITEMS_PER_PAGE) return;
      after = page.at(-1)?.id;
    }
  };

  const run: RunHandle = {
    workflowId,
    status: () => ask('status'),
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
    questions: () => waiting(run, own),
    async *nodes() {
      for (let after: string | undefined; ;) {
        const page: NodesPage = await ask('nodes', { after, limit: NODES_PER_PAGE });
        yield* page.nodes;
        if (page.next === undefined) return;
        after = page.next;
      }
    },
    attempts: async () => attemptsOf(await bounded(() => handle.describe())),
    begun: (reading) =>
      readBegun(
        (runId) => bounded(() => client.workflow.getHandle(workflowId, runId).fetchHistory(), HISTORY_MS),
        reading,
      ),
    times: async () => timesOf(await bounded(() => handle.describe())),
    feedback: async () => feedbackOf(await bounded(() => handle.describe())),
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

/** A run's own items, then those of the agents at work in which something waits, and of theirs. Most runs wait for nobody. */
async function* waiting(run: RunHandle, own: () => AsyncIterable<OpenItem>): AsyncGenerator<OpenItem> {
  const { waitingFor, children = [] } = await run.status();
  if (waitingFor > 0) yield* own();
  for (const child of children) if (child.waitingFor > 0) yield* run.child(child.workflowId).questions();
}

/** A run that has ended does not hear any more of what it has not heard, and answers whoever knows that. */
async function askOnce<T>(handle: WorkflowHandle, query: QueryName, page: PageRequest): Promise<T> {
  try {
    return await handle.query<T, [PageRequest]>(query, page);
  } catch (error) {
    if (!String(error).includes(UNHEARD)) throw error;
    const { status, historyLength } = await handle.describe();
    if (status.name === 'RUNNING') throw error;
    return handle.query<T, [PageRequest]>(query, { ...page, ended: historyLength });
  }
}

/** A run may answer a moment later, and says so; the caller bounds how long it is asked. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + ANSWER_MS; ;) {
    try {
      return await ask();
    } catch (error) {
      if (!String(error).includes(ASK_AGAIN) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
  }
}

/** Of a run that has gone on in a new history the older entries are in the result store. */
async function storedEntries(store: ResultStore, ref: string, after: number): Promise<readonly TraceEntry[]> {
  const entries = JSON.parse(Buffer.from(await store.get(ref)).toString('utf8')) as readonly TraceEntry[];
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
