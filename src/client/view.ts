import type { WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import {
  ENTRIES,
  given,
  type NodeView,
  type OpenItem,
  type OwnPart,
  type RunParts,
  type TraceEntry,
  type ViewOptions,
  type ViewPage,
  type ViewRequest,
  VIEW_PARTS,
  ROUND,
  type RoundRecord,
  type Shape,
  type ExecutedNodes,
  type ExecutedNode,
} from '../protocol/index.ts';
import type { ResultStore } from '../store/index.ts';
import { readAs } from './ask-run.ts';
import { attemptsOf, feedbackOf, endingText, isoOf, msOf, nodesOfActivity, type ActivityNodes } from './attempts.ts';
import type { RunHandle } from './run-handle.ts';
import { ClientError } from './client-error.ts';

export interface ViewSource {
  readonly store: Pick<ResultStore, 'get'>;
  /** Queries the run. @throws ClientError `unreadable` if the reply is invalid */
  ask(request: ViewRequest): Promise<ViewPage>;
  describe(): Promise<WorkflowExecutionDescription>;
  /** The description with decoded activities. @throws EncryptionError with the id of a missing key */
  decoded(described: WorkflowExecutionDescription): Promise<WorkflowExecutionDescription>;
  historyOf(runId?: string): ReturnType<WorkflowHandle['fetchHistory']>;
  firstRunId(): Promise<string | undefined>;
  child(workflowId: string): Pick<RunHandle, 'view'>;
}

const PARTS_OF_RUN = { status: 'status', plan: 'plan', nodes: 'nodes', open: 'questions', trace: 'trace' } as const;
type PartOfRun = keyof typeof PARTS_OF_RUN;

const PAGES = { nodes: { limit: 500 }, trace: { limit: 1000 } } as const;

/** Reads parts of a run. @param options how much to read of parts that may be long */
export async function readView<Part extends keyof RunParts>(
  run: ViewSource,
  names: readonly Part[],
  options: ViewOptions = {},
): Promise<Pick<RunParts, Part>> {
  let described: ReturnType<ViewSource['describe']> | undefined;
  const describe = () => (described ??= run.describe());
  const read: { readonly [Name in Exclude<keyof RunParts, PartOfRun>]: () => Promise<RunParts[Name]> } = {
    rounds: async () => {
      const notes = options.notes ?? (await askForParts(run, ['status'])).status?.loop?.notes;
      return notes === undefined ? [] : readRounds(run.store, notes, options);
    },
    attempts: async () => attemptsOf(await run.decoded(await describe())),
    feedback: async () => feedbackOf(await run.decoded(await describe())),
    times: async () => timesOf(await describe()),
    firstRunId: run.firstRunId,
    begun: () => readAttemptHistory(run.historyOf, options),
  };
  const parts: Partial<RunParts> = {};
  const asked: readonly (keyof RunParts)[] = names;
  const own = asked.flatMap((name) => (isOwn(name) ? PARTS_OF_RUN[name] : []));
  const told = own.length === 0 ? {} : await askForParts(run, own, options.after);
  // Reads parts one by one, since a busy worker that gets all queries at once answers none of them in time.
  for (const name of asked) Object.assign(parts, { [name]: isOwn(name) ? told[name] : await read[name]() });
  return parts as Pick<RunParts, Part>;
}

function isOwn(name: keyof RunParts): name is PartOfRun {
  return name in PARTS_OF_RUN;
}

/** Reads the parts that the run itself computes, page by page. Then adds the items of its agents. */
async function askForParts(
  { ask, store, child }: ViewSource,
  parts: readonly OwnPart[],
  after = 0,
): Promise<Partial<Pick<RunParts, PartOfRun>>> {
  const told: ViewPage = {};
  const nodes: NodeView[] = [];
  const entries: TraceEntry[] = [];
  // If an item is closed between two pages, the next page starts at the beginning, so items may repeat.
  const open = new Map<string, OpenItem>();
  const agents: string[] = [];
  for (let rest: ViewRequest | undefined = { parts, ...PAGES, trace: { ...PAGES.trace, after } }; rest;) {
    const page: ViewPage = await ask(rest);
    nodes.push(...(page.nodes?.nodes ?? []));
    for (const item of page.questions ?? []) {
      if ('run' in item) agents.push(item.run);
      else if (!open.has(item.id)) open.set(item.id, item);
    }
    const { stored, entries: own = [] } = page.trace ?? {};
    entries.push(...(stored === undefined ? own : await storedEntries(store, stored, entries.at(-1)?.seq ?? after)));
    Object.assign(told, page);
    rest = page.rest;
  }
  readAs(Object.fromEntries(parts.map((part) => [part, VIEW_PARTS[part]])), told, 'the query view');
  const items = [...open.values()];
  for (const agent of agents) items.push(...(await child(agent).view(['open'])).open);
  const { status, plan, trace } = told;
  return { ...given({ status, plan }), nodes, open: items, trace: { entries, dropped: trace?.dropped ?? 0 } };
}

/** Earlier entries of a run that has moved to a new history, from the result store. */
async function storedEntries(store: ViewSource['store'], ref: string, after: number): Promise<readonly TraceEntry[]> {
  const page: unknown = JSON.parse(Buffer.from(await store.get(ref)).toString('utf8'));
  const entries = readAs(ENTRIES, page, `the store, under ${ref},`);
  return entries.filter(({ seq }) => seq > after);
}

function timesOf({ startTime, closeTime }: WorkflowExecutionDescription): RunParts['times'] {
  return {
    startedAt: startTime.toISOString(),
    ...(closeTime !== undefined && { endedAt: closeTime.toISOString() }),
  };
}

/**
 * Reads the records of a loop's rounds. @param notes the reference in the status of the loop
 * @throws StoreError if the run's store is another one; ClientError `unreadable` if the content is invalid
 */
export async function readRounds(
  store: Pick<ResultStore, 'get'>,
  notes: string,
  { last = Infinity, from = 1 }: Pick<ViewOptions, 'last' | 'from'>,
): Promise<readonly RoundRecord[]> {
  const read = async <const S extends Shape>(ref: string, shape: S) => {
    const value: unknown = JSON.parse(Buffer.from(await store.get(ref)).toString('utf8'));
    return readAs(shape, value, `the store, under ${ref},`);
  };
  const rounds: RoundRecord[] = [];
  let { record: next } = await read(notes, { record: 'ref?' });
  while (next !== undefined && rounds.length < last) {
    const record = await read(next, ROUND);
    if (record.round < from) break;
    rounds.push(record);
    next = record.before;
  }
  return rounds.toReversed();
}

/** Default maximum number of histories to read. Each may have tens of thousands of events. */
const HISTORIES = 20;

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/**
 * The nodes of one history that a worker has finished or given up, each with its last activity.
 * @example begunIn(await handle.fetchHistory());
 */
export function attemptsInHistory({ events }: History): readonly ExecutedNode[] {
  const activities = new Map<string, ActivityNodes>();
  const begun = new Map<string, ExecutedNode>();
  for (const event of events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled != null) activities.set(String(event.eventId), nodesOfActivity(scheduled));
    const started = event.activityTaskStartedEventAttributes;
    if (started == null) continue;
    const { revision = 1, ids = [] } = activities.get(String(started.scheduledEventId)) ?? {};
    const { attempt, identity, lastFailure } = started;
    const before = lastFailure == null ? '' : endingText(lastFailure);
    const how = { attempt: attempt ?? 1, worker: identity ?? '', startedAt: isoOf(msOf(event.eventTime)) };
    for (const id of ids) begun.set(`${revision} ${id}`, { id, revision, ...how, ...(before !== '' && { before }) });
  }
  return [...begun.values()];
}

/**
 * Reads the histories of a run, newest first, until enough nodes are found. Each history names the previous one.
 * @param historyOf reads the history of a run id; without an id, the newest history
 */
export async function readAttemptHistory(
  historyOf: (runId?: string) => Promise<History>,
  { histories = HISTORIES, until = () => false }: Pick<ViewOptions, 'histories' | 'until'> = {},
): Promise<ExecutedNodes> {
  const found = new Map<string, ExecutedNode>();
  let runId: string | undefined;
  for (let read = 0; ; read += 1) {
    const isEnough = read > 0 && (runId === undefined || until([...found.values()]));
    if (isEnough) return { nodes: inOrder(found) };
    if (read >= histories) return { nodes: inOrder(found), missing: 'unread' };
    const history = read === 0 ? await historyOf() : await earlier(() => historyOf(runId));
    if (history === undefined) return { nodes: inOrder(found), missing: 'gone' };
    for (const one of attemptsInHistory(history)) {
      const key = `${one.revision} ${one.id}`;
      if (!found.has(key)) found.set(key, one);
    }
    const before = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    runId = before == null || before === '' ? undefined : before;
  }
}

function inOrder(found: ReadonlyMap<string, ExecutedNode>): readonly ExecutedNode[] {
  return [...found.values()].toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0));
}

async function earlier(read: () => Promise<History>): Promise<History | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-run') return undefined;
    throw error;
  }
}
