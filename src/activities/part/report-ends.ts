import { packEnds, type PartEnd, type PartEnds } from '../../protocol/index.ts';

/** How long an ended node waits for others before it is reported, in ms. */
const REPORT_MS = 2000;
/** How long an ended node waits if a node outside the part needs its result, in ms. */
const REPORT_SOON_MS = 50;
/** Approximate limit for one report. The server accepts 2 MiB. */
const MAX_REPORT_BYTES = 256 * 1024;
/** Approximate limit for a part's reply. The run repeats nodes that do not fit into the reply. */
const MAX_REPLY_BYTES = 1024 * 1024;
const END_BYTES = 80;

/** A node with its result, or a node that leaves the part. `barred`: an executor whose nodes must not be in parts. */
export type Item = PartEnd | { readonly node: number; readonly alone: true; readonly barred?: string };

export interface EndsReporter {
  /** Adds an ended node. @param isAwaited whether a node outside the part needs the result */
  add(item: Item, isAwaited: boolean): void;
  /** Ends the reporting. Resolves with the unreported ends that fit into the part's reply. */
  rest(): Promise<PartEnds>;
}

/** Opens the reports of a part. @param tell sends a report; after a failure the next report repeats the nodes */
export function createEndsReporter(tell: (ends: PartEnds) => Promise<void>): EndsReporter {
  let items: Item[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let due = Number.POSITIVE_INFINITY;
  let telling: Promise<void> | undefined;
  let isOver = false;

  function arm(ms: number): void {
    const at = performance.now() + ms;
    if (at >= due) return;
    due = at;
    wait();
  }

  function wait(): void {
    if (isOver || telling !== undefined || items.length === 0) return;
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        telling = send();
      },
      Math.max(0, due - performance.now()),
    );
  }

  async function send(): Promise<void> {
    const told = fitting(items, MAX_REPORT_BYTES);
    items = items.slice(told.length);
    bytes = 0;
    due = items.length > 0 ? performance.now() : Number.POSITIVE_INFINITY;
    try {
      await tell(packed(told));
    } catch {
      items = [...told, ...items];
      due = performance.now() + REPORT_MS;
    }
    telling = undefined;
    wait();
  }

  return {
    add(item, isAwaited) {
      items.push(item);
      bytes += bytesOf(item);
      if (bytes >= MAX_REPORT_BYTES) arm(0);
      else arm(isAwaited ? REPORT_SOON_MS : REPORT_MS);
    },
    async rest() {
      isOver = true;
      clearTimeout(timer);
      await telling;
      return packed(fitting(items, MAX_REPLY_BYTES));
    },
  };
}

function packed(items: readonly Item[]): PartEnds {
  const alone = items.flatMap((item) => ('alone' in item ? [item.node] : []));
  const barred = items.flatMap((item) => ('alone' in item ? (item.barred ?? []) : []));
  return packEnds(
    items.filter((item) => 'handle' in item),
    { alone, barred: [...new Set(barred)] },
  );
}

function fitting(items: readonly Item[], most: number): Item[] {
  let bytes = 0;
  let total = 0;
  while (total < items.length && bytes < most) bytes += bytesOf(items[total++]!);
  return items.slice(0, total);
}

function bytesOf(item: Item): number {
  const notes = 'handle' in item ? (item.handle.notes ?? []) : [];
  return END_BYTES + notes.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
