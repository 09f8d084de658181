/** Reports the ended nodes of a part to its run, several at a time. */

import { packEnds, type PartEnd, type PartEnds } from '../../protocol/index.ts';

/** An end waits so long for others before it is reported, or less if something outside waits for it. */
const TELL_MS = 2000;
/** The same if a node outside the part waits for the end. */
const TELL_SOON_MS = 50;
/** Approximate bytes of one report. The server accepts 2 MiB. */
const MOST_BYTES = 256 * 1024;
/**
 * Approximate bytes of the reports at the end of the part. Other nodes are returned, and their results found in the
 * store.
 */
const MOST_REPLY = 1024 * 1024;
/** Bytes of an end but for its texts. */
const END_BYTES = 80;

/**
 * A node with its result, or one that leaves the part: the run begins it again at once, and excludes its executor from
 * parts if that is named.
 */
export type Item = PartEnd | { readonly node: number; readonly alone: true; readonly barred?: string };

export interface News {
  /** @param isAwaited something outside of the part waits for it */
  add(item: Item, isAwaited: boolean): void;
  /** What was not reported yet, as far as a reply has room. Nothing is reported after that. */
  rest(): Promise<PartEnds>;
}

/** @param tell resolves when the run has the report; after a failure the next report contains these ends */
export function createNews(tell: (ends: PartEnds) => Promise<void>): News {
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
    const told = fitting(items, MOST_BYTES);
    items = items.slice(told.length);
    bytes = 0;
    due = items.length > 0 ? performance.now() : Number.POSITIVE_INFINITY;
    try {
      await tell(packed(told));
    } catch {
      items = [...told, ...items];
      due = performance.now() + TELL_MS;
    }
    telling = undefined;
    wait();
  }

  return {
    add(item, isAwaited) {
      items.push(item);
      bytes += bytesOf(item);
      if (bytes >= MOST_BYTES) arm(0);
      else arm(isAwaited ? TELL_SOON_MS : TELL_MS);
    },
    async rest() {
      isOver = true;
      clearTimeout(timer);
      await telling;
      return packed(fitting(items, MOST_REPLY));
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

/** The first of them, until they are so many bytes. */
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
