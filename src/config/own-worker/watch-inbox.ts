/** The metric of what waits for a person: number, kind and age. */

import type { Runtime } from '@temporalio/worker';
import type { ConnectedClient, PlanClient } from '../../client/index.ts';
import { askedRun, listRunning } from '../../client/reach/index.ts';
import { METRICS, OPEN_ITEM_KINDS, WAITS_FOR_ATTRIBUTE, type OpenItem } from '../../protocol/index.ts';

/** Milliseconds; an item counts under every age that it has passed. */
const AGES = { '0s': 0, '5m': 300_000, '1h': 3_600_000, '1d': 86_400_000 } as const;
/** Milliseconds between two rounds. */
const ROUND_MS = 30_000;
/**
 * Runs per round. A query costs a replay if the run has left the worker's cache. The age of a known item needs no
 * query, so with thousands of waiting runs only new items are late.
 */
const ASKED = 30;
/** Listed per round from the server's index. */
const MAX_RUNS = 1000;
const LIST_MS = 10_000;
/** Unanswered runs per round, each of which costs a timeout. */
const MAX_UNANSWERED = 3;

export interface InboxWatch {
  /** Resolves when no query is open. */
  stop(): Promise<void>;
}

export interface WatchedInbox {
  readonly connected: Pick<ConnectedClient, 'client'>;
  readonly plans: Pick<PlanClient, 'run'>;
  readonly taskQueue: string;
  /** With the worker's labels. */
  readonly meter: Pick<Runtime['metricMeter'], 'createGauge'>;
}

/**
 * Looks at once, then every 30 s. A run that does not answer keeps its known items, and is asked in a later round.
 */
export function watchInbox({ connected: { client }, plans, taskQueue, meter }: WatchedInbox): InboxWatch {
  const open = meter.createGauge(METRICS.openItems.name, 'int', '', METRICS.openItems.tells);
  const read = meter.createGauge(METRICS.inboxRead.name, 'int', '', METRICS.inboxRead.tells);
  const cached = new Map<string, { readonly items: readonly OpenItem[]; readonly askedAt: number }>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isOver = false;

  async function waiting(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for await (const info of listRunning(client, `${WAITS_FOR_ATTRIBUTE} IS NOT NULL`)) {
      if (info.taskQueue === taskQueue) found.add(askedRun(info));
      if (found.size === MAX_RUNS) break;
    }
    return found;
  }

  /** @returns whether a run answered, if one was asked */
  async function ask(there: ReadonlySet<string>): Promise<boolean> {
    for (const id of cached.keys()) if (!there.has(id)) cached.delete(id);
    const lastAsked = (id: string) => cached.get(id)?.askedAt ?? 0;
    const next = [...there].toSorted((a, b) => lastAsked(a) - lastAsked(b)).slice(0, ASKED);
    let silent = 0;
    for (const id of next) {
      if (isOver || silent === MAX_UNANSWERED) break;
      const before = cached.get(id)?.items ?? [];
      const answer = await plans
        .run(id)
        .view(['open'])
        .catch(() => undefined);
      if (answer === undefined) silent += 1;
      cached.set(id, { items: answer?.open ?? before, askedAt: Date.now() });
    }
    return next.length === 0 || silent < Math.min(next.length, MAX_UNANSWERED);
  }

  async function look(): Promise<void> {
    try {
      const there = await client.connection.withDeadline(Date.now() + LIST_MS, waiting);
      if (await ask(there)) read.set(Math.floor(Date.now() / 1000));
    } catch {
      // The SDK's metrics show a server that does not answer.
    }
    for (const [kind, ages] of agesOf(
      [...cached.values()].flatMap(({ items }) => items),
      Date.now(),
    )) {
      for (const [older, count] of ages) open.set(count, { kind, older });
    }
  }

  const again = () => {
    looking = look().then(() => {
      if (!isOver) timer = setTimeout(again, ROUND_MS).unref();
    });
  };
  again();
  return {
    async stop() {
      isOver = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

/** Counts by kind and age, zeros included. */
export function agesOf(
  items: readonly Pick<OpenItem, 'kind' | 'since'>[],
  now: number,
): readonly (readonly [kind: string, ages: readonly (readonly [older: string, count: number])[]])[] {
  return OPEN_ITEM_KINDS.map((kind) => {
    const waited = items.flatMap((item) => (item.kind === kind ? [now - Date.parse(item.since)] : []));
    return [kind, Object.entries(AGES).map(([older, ms]) => [older, waited.filter((age) => age >= ms).length])];
  });
}
