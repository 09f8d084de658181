/** The news of a part for its run while it goes on: nodes that have ended, some at a time. */

import { packEnds, type PartEnd, type PartEnds } from '../../protocol/index.ts';

/**
 * How long an end waits for others before it is told; less where something outside waits for it.
 * @bound how long an end waits to be told with others
 * @beyond it is told
 */
const TELL_MS = 2000;
/**
 * @bound the same, where a node outside of the part waits for the end
 * @beyond it is told
 */
const TELL_SOON_MS = 50;
/**
 * About as many bytes are told at once. The server takes 2 MiB.
 * @bound ends that are told at once
 * @beyond they are told without waiting, and the others after them
 */
const MOST_BYTES = 256 * 1024;
/**
 * About as many bytes are told with the end of the part; what has no room is given back, and found in the store.
 * @bound {bytes} ends that are told with the end of a part
 * @beyond those nodes begin again, and find what is kept
 */
const MOST_REPLY = 1024 * 1024;
/** Bytes of an end but for its texts. */
const END_BYTES = 80;

export interface News {
  /** @param isAwaited something outside of the part waits for it */
  add(end: PartEnd, isAwaited: boolean): void;
  /** The ends that were not told yet, as far as a reply has room; none is told any more. */
  rest(): Promise<readonly PartEnd[]>;
}

/** @param tell resolves when the run has been told; where it fails, the ends are told with the next */
export function createNews(tell: (ends: PartEnds) => Promise<void>): News {
  let ends: PartEnd[] = [];
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
    if (isOver || telling !== undefined || ends.length === 0) return;
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        telling = send();
      },
      Math.max(0, due - performance.now()),
    );
  }

  async function send(): Promise<void> {
    const told = fitting(ends, MOST_BYTES);
    ends = ends.slice(told.length);
    bytes = 0;
    due = ends.length > 0 ? performance.now() : Number.POSITIVE_INFINITY;
    try {
      await tell(packEnds(told));
    } catch {
      ends = [...told, ...ends];
      due = performance.now() + TELL_MS;
    }
    telling = undefined;
    wait();
  }

  return {
    add(end, isAwaited) {
      ends.push(end);
      bytes += bytesOf(end);
      if (bytes >= MOST_BYTES) arm(0);
      else arm(isAwaited ? TELL_SOON_MS : TELL_MS);
    },
    async rest() {
      isOver = true;
      clearTimeout(timer);
      await telling;
      return fitting(ends, MOST_REPLY);
    },
  };
}

/** The first of them, until they are so many bytes. */
function fitting(ends: readonly PartEnd[], most: number): PartEnd[] {
  let bytes = 0;
  let total = 0;
  while (total < ends.length && bytes < most) bytes += bytesOf(ends[total++]!);
  return ends.slice(0, total);
}

function bytesOf(end: PartEnd): number {
  const texts = 'handle' in end ? (end.handle.notes ?? []) : ['failure' in end ? end.failure.message : end.held.held];
  return END_BYTES + texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}
