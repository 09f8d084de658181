import pLimit from 'p-limit';
import type { Runtime } from '@temporalio/worker';
import { ClientError, type ConnectedClient, type PlanClient } from '../../client/index.ts';
import { askedRun, listRunning, ofQueue } from '../../client/reach/index.ts';
import { METRICS, OPEN_ITEM_KINDS, WAITS_FOR_ATTRIBUTE, type OpenItem } from '../../protocol/index.ts';
import { createRunNotices, type Notifier } from '../notify/index.ts';

/** Ages of open items in ms, by label in the metric. An item counts for each age that it has passed. */
const AGES = { '0s': 0, '5m': 300_000, '1h': 3_600_000, '1d': 86_400_000 } as const;
/** Milliseconds between two rounds of queries. With notifications, at least `REST` times the last round's duration. */
const ROUND_MS = { metric: 30_000, notify: 5000 } as const;
const REST = 4;
/**
 * Maximum number of runs that are queried in a round, and at the same time. A query may cost a replay. Known items need
 * no query, so with thousands of waiting runs only new items are late.
 */
const ASKED = { metric: 30, notify: 1000 } as const;
const AT_ONCE = { metric: 1, notify: 20 } as const;
/** Maximum number of runs that are listed in a round. Runs whose last query is oldest come first. */
const MAX_RUNS = 10_000;
const LIST_MS = 10_000;
/** Maximum number of runs without an answer in a round. Each costs a timeout. */
const MAX_UNANSWERED = 3;

export interface InboxWatch {
  stop(): Promise<void>;
}

export interface WatchedInbox {
  readonly connected: Pick<ConnectedClient, 'client' | 'namespace'>;
  readonly plans: Pick<PlanClient, 'run'>;
  readonly taskQueue: string;
  readonly meter: Pick<Runtime['metricMeter'], 'createGauge'>;
  /** Whether the server has the search attribute for waiting runs. Otherwise all runs are queried. Default: true. */
  readonly isIndexed?: boolean;
  /** Without it, nobody is notified. */
  readonly notifier?: Notifier | undefined;
}

interface Asked {
  readonly items: readonly Pick<OpenItem, 'kind' | 'since'>[];
  readonly askedAt: number;
  readonly firstRunId: string | undefined;
}

/**
 * Queries the open items now, then every 30 s, or every 5 s with notifications. If a run does not answer, its known
 * items still count, and a later round queries it again.
 */
export function watchInbox(watched: WatchedInbox): InboxWatch {
  const { connected, plans, taskQueue, meter, isIndexed = true, notifier } = watched;
  const { client } = connected;
  const pace = notifier === undefined ? 'metric' : 'notify';
  const open = meter.createGauge(METRICS.openItems.name, 'int', '', METRICS.openItems.tells);
  const read = meter.createGauge(METRICS.inboxRead.name, 'int', '', METRICS.inboxRead.tells);
  const runNotices = notifier && createRunNotices({ connected, taskQueue, notifier });
  const cached = new Map<string, Asked>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isOver = false;

  async function waiting(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    const own = ofQueue(taskQueue);
    for await (const info of listRunning(client, isIndexed ? `${WAITS_FOR_ATTRIBUTE} IS NOT NULL AND ${own}` : own)) {
      if (info.taskQueue === taskQueue) found.add(askedRun(info));
      if (found.size === MAX_RUNS) break;
    }
    return found;
  }

  async function ask(there: ReadonlySet<string>): Promise<boolean> {
    for (const id of cached.keys()) if (!there.has(id)) cached.delete(id);
    runNotices?.keepStuck(there);
    const lastAsked = (id: string) => cached.get(id)?.askedAt ?? -1;
    const next = [...there].toSorted((a, b) => lastAsked(a) - lastAsked(b)).slice(0, ASKED[pace]);
    let silent = 0;
    await pLimit(AT_ONCE[pace]).map(next, async (id) => {
      if (isOver || silent >= MAX_UNANSWERED) return;
      const before = cached.get(id);
      const askedAt = performance.now();
      const answer = await plans
        .run(id)
        .view(['status', 'open'])
        .catch((error: unknown) => {
          // Reports a run that its worker cannot continue.
          if (error instanceof ClientError && error.isStuck === true) runNotices?.stuck(id);
          else silent += 1;
        });
      const firstRunId = answer?.status.firstRunId ?? before?.firstRunId;
      // Whole items would take much memory.
      const items = answer?.open.map(({ kind, since }) => ({ kind, since })) ?? before?.items ?? [];
      cached.set(id, { items, askedAt, firstRunId });
      if (answer === undefined || notifier === undefined) return;
      runNotices?.continues(id);
      const again = async () => (await plans.run(id).view(['open'])).open;
      // A slow receiver must not delay the next round, so this does not wait.
      notifier
        .items({ workflowId: id, firstRunId: answer.status.firstRunId }, answer.open, again)
        .catch(() => undefined);
    });
    return next.length === 0 || silent < Math.min(next.length, MAX_UNANSWERED);
  }

  async function look(): Promise<void> {
    try {
      const there = await client.connection.withDeadline(Date.now() + LIST_MS, waiting);
      if (await ask(there)) read.set(Math.floor(Date.now() / 1000));
    } catch {
      // The SDK's metrics show errors of the server, so they are ignored here.
    }
    const others = (await runNotices?.look().catch(() => undefined)) ?? [];
    notifier?.keep(new Set([...others, ...[...cached.values()].flatMap(({ firstRunId }) => firstRunId ?? [])]));
    for (const [kind, ages] of agesOf(
      [...cached.values()].flatMap(({ items }) => items),
      Date.now(),
    )) {
      for (const [older, count] of ages) open.set(count, { kind, older });
    }
  }

  const again = () => {
    const startedAt = performance.now();
    looking = look().then(() => {
      const rest = notifier === undefined ? 0 : REST * (performance.now() - startedAt);
      if (!isOver) timer = setTimeout(again, Math.max(ROUND_MS[pace], rest)).unref();
    });
  };
  again();
  return {
    async stop() {
      isOver = true;
      const stopped = notifier?.stop();
      clearTimeout(timer);
      await looking;
      await stopped;
    },
  };
}

export function agesOf(
  items: readonly Pick<OpenItem, 'kind' | 'since'>[],
  now: number,
): readonly (readonly [kind: string, ages: readonly (readonly [older: string, count: number])[]])[] {
  return OPEN_ITEM_KINDS.map((kind) => {
    const waited = items.flatMap((item) => (item.kind === kind ? [now - Date.parse(item.since)] : []));
    return [kind, Object.entries(AGES).map(([older, ms]) => [older, waited.filter((age) => age >= ms).length])];
  });
}
