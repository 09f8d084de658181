/** Keeps the metric of what waits for a person: how much, of which kind, and for how long. */

import type { Runtime } from '@temporalio/worker';
import type { ConnectedClient, PlanClient } from '../../client/index.ts';
import { askedRun, listRunning } from '../../client/reach/index.ts';
import { METRICS, OPEN_ITEM_KINDS, WAITS_FOR_ATTRIBUTE, type OpenItem } from '../../protocol/index.ts';

/** Items that have waited for longer than so many milliseconds; each counts under every age that it has passed. */
const AGES = { '0s': 0, '5m': 300_000, '1h': 3_600_000, '1d': 86_400_000 } as const;
/** The time between two rounds of a worker with `--metrics`. */
const ROUND_MS = 30_000;
/**
 * Runs asked in a round. A question costs the run's worker a replay where it has dropped the run from its cache; how
 * long a known item waits needs no question, so that of thousands of waiting runs only news comes late.
 */
const ASKED = 30;
/** Waiting runs that are listed in a round; the server has an index of them. */
const MOST_RUNS = 1000;
const LIST_MS = 10_000;
/** Runs without an answer in a round, each of which is waited for. */
const MOST_SILENT = 3;

export interface InboxWatch {
  /** Resolves when nothing is asked any more. */
  stop(): Promise<void>;
}

export interface WatchedInbox {
  readonly connected: Pick<ConnectedClient, 'client'>;
  readonly plans: Pick<PlanClient, 'run'>;
  readonly taskQueue: string;
  /** With the labels of the worker. */
  readonly meter: Pick<Runtime['metricMeter'], 'createGauge'>;
}

/** Looks at once, and then every 30 s. A run that does not answer is asked in a later round, and its items stay as they were known. */
export function watchInbox({ connected: { client }, plans, taskQueue, meter }: WatchedInbox): InboxWatch {
  const open = meter.createGauge(METRICS.openItems.name, 'int', '', METRICS.openItems.tells);
  const read = meter.createGauge(METRICS.inboxRead.name, 'int', '', METRICS.inboxRead.tells);
  const known = new Map<string, { readonly items: readonly OpenItem[]; readonly askedAt: number }>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isOver = false;

  async function waiting(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    for await (const info of listRunning(client, `${WAITS_FOR_ATTRIBUTE} IS NOT NULL`)) {
      if (info.taskQueue === taskQueue) found.add(askedRun(info));
      if (found.size === MOST_RUNS) break;
    }
    return found;
  }

  /** @returns whether somebody answered, where somebody was asked */
  async function ask(there: ReadonlySet<string>): Promise<boolean> {
    for (const id of known.keys()) if (!there.has(id)) known.delete(id);
    const lastAsked = (id: string) => known.get(id)?.askedAt ?? 0;
    const next = [...there].toSorted((a, b) => lastAsked(a) - lastAsked(b)).slice(0, ASKED);
    let silent = 0;
    for (const id of next) {
      if (isOver || silent === MOST_SILENT) break;
      const before = known.get(id)?.items ?? [];
      const answer = await plans
        .run(id)
        .view(['open'])
        .catch(() => undefined);
      if (answer === undefined) silent += 1;
      known.set(id, { items: answer?.open ?? before, askedAt: Date.now() });
    }
    return next.length === 0 || silent < Math.min(next.length, MOST_SILENT);
  }

  async function look(): Promise<void> {
    try {
      const there = await client.connection.withDeadline(Date.now() + LIST_MS, waiting);
      if (await ask(there)) read.set(Math.floor(Date.now() / 1000));
    } catch {
      // A server that does not answer has metrics of its own.
    }
    for (const [kind, ages] of agesOf(
      [...known.values()].flatMap(({ items }) => items),
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

/** How many items there are of each kind and age, zeros too. */
export function agesOf(
  items: readonly Pick<OpenItem, 'kind' | 'since'>[],
  now: number,
): readonly (readonly [kind: string, ages: readonly (readonly [older: string, count: number])[]])[] {
  return OPEN_ITEM_KINDS.map((kind) => {
    const waited = items.flatMap((item) => (item.kind === kind ? [now - Date.parse(item.since)] : []));
    return [kind, Object.entries(AGES).map(([older, ms]) => [older, waited.filter((age) => age >= ms).length])];
  });
}
