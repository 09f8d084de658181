/** The parts of a run, each read where it is: from its worker, from its server, or from the result store. */

import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import {
  ENTRIES,
  type NodesPage,
  type NodeView,
  type OpenItem,
  type PageRequest,
  type QueryName,
  type RunParts,
  type RunStatus,
  type TraceEntry,
  type TracePage,
  type ViewOptions,
  type WaitingRun,
} from '../protocol/index.ts';
import type { ResultStore } from '../store/index.ts';
import { readAs } from './ask-run.ts';
import { attemptsOf, feedbackOf } from './attempts.ts';
import { readBegun } from './begun.ts';
import { readRounds } from './read-rounds.ts';
import type { RunHandle } from './run-handle.ts';

/** A run, as its parts are asked for. */
export interface Asked {
  readonly store: Pick<ResultStore, 'get'>;
  ask<Answer>(query: QueryName, page?: PageRequest): Promise<Answer>;
  describe(): Promise<WorkflowExecutionDescription>;
  /** With its activities decoded. @throws EncryptionError with the id of a key that is missing */
  decoded(described: WorkflowExecutionDescription): Promise<WorkflowExecutionDescription>;
  historyOf(runId?: string): ReturnType<WorkflowHandle['fetchHistory']>;
  chain(): Promise<string | undefined>;
  /** The run of an agent that works for this one. */
  child(workflowId: string): Pick<RunHandle, 'view'>;
}

const NODES_PER_PAGE = 500;
const ENTRIES_PER_PAGE = 1000;
const ITEMS_PER_PAGE = 100;

/** @param options how much is read of parts that may be long */
export async function readView<Part extends keyof RunParts>(
  run: Asked,
  names: readonly Part[],
  options: ViewOptions = {},
): Promise<Pick<RunParts, Part>> {
  let described: ReturnType<Asked['describe']> | undefined;
  const describe = () => (described ??= run.describe());
  const read: { readonly [Name in keyof RunParts]: () => Promise<RunParts[Name]> } = {
    status: () => run.ask('status'),
    plan: () => run.ask('plan'),
    nodes: () => nodesOf(run),
    open: () => openOf(run),
    trace: () => traceOf(run, options.after),
    rounds: async () => {
      const notes = options.notes ?? (await run.ask<RunStatus>('status')).loop?.notes;
      return notes === undefined ? [] : readRounds(run.store, notes, options);
    },
    attempts: async () => attemptsOf(await run.decoded(await describe())),
    feedback: async () => feedbackOf(await run.decoded(await describe())),
    times: async () => timesOf(await describe()),
    chain: run.chain,
    begun: () => readBegun(run.historyOf, options),
  };
  // One after the other: a busy worker that is asked for all at once answers none of them in time.
  const parts: Partial<RunParts> = {};
  for (const name of names) Object.assign(parts, { [name]: await read[name]() });
  return parts as Pick<RunParts, Part>;
}

async function nodesOf({ ask }: Asked): Promise<readonly NodeView[]> {
  const nodes: NodeView[] = [];
  for (let after: string | undefined; ;) {
    const page: NodesPage = await ask('nodes', { after, limit: NODES_PER_PAGE });
    nodes.push(...page.nodes);
    if (page.next === undefined) return nodes;
    after = page.next;
  }
}

/** A run's own items, then those of the agents at work in which something waits, and of theirs. */
async function openOf({ ask, child }: Asked): Promise<readonly OpenItem[]> {
  // An item that is closed between two pages makes the second begin anew.
  const found = new Map<string, OpenItem>();
  for (let after: string | undefined; ;) {
    const page: readonly (OpenItem | WaitingRun)[] = await ask('questions', { after, limit: ITEMS_PER_PAGE });
    const items = page.filter((item) => 'id' in item);
    for (const item of items) if (!found.has(item.id)) found.set(item.id, item);
    if (items.length === ITEMS_PER_PAGE) {
      after = items.at(-1)?.id;
      continue;
    }
    const open = [...found.values()];
    for (const item of page) if ('run' in item) open.push(...(await child(item.run).view(['open'])).open);
    return open;
  }
}

async function traceOf({ ask, store }: Asked, after = 0): Promise<RunParts['trace']> {
  const entries: TraceEntry[] = [];
  for (let from = after; ;) {
    const page: TracePage = await ask('trace', { after: from, limit: ENTRIES_PER_PAGE });
    entries.push(...(page.stored === undefined ? page.entries : await storedEntries(store, page.stored, from)));
    if (page.next === undefined) return { entries, dropped: page.dropped };
    from = page.next;
  }
}

/** The older entries of a run that has continued as new; they are in the result store. */
async function storedEntries(store: Asked['store'], ref: string, after: number): Promise<readonly TraceEntry[]> {
  const given: unknown = JSON.parse(Buffer.from(await store.get(ref)).toString('utf8'));
  const entries = readAs(ENTRIES, given, `the store, under ${ref},`) as readonly TraceEntry[];
  return entries.filter(({ seq }) => seq > after);
}

function timesOf({ startTime, closeTime }: WorkflowExecutionDescription): RunParts['times'] {
  return {
    startedAt: startTime.toISOString(),
    ...(closeTime !== undefined && { endedAt: closeTime.toISOString() }),
  };
}
