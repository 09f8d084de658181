/** How often a run is asked for those who watch it: at most two queries a second, and at once after somebody said something. */

import { pause } from '../client/follow.ts';
import type { RunView } from '../protocol/index.ts';

/**
 * The time that one query of a run takes up.
 * @bound the time of one query of a run
 * @beyond the run is left alone so long for each query of the last view: two a second
 */
const QUERY_MS = 500;
/** Pages of the queries `nodes` and `questions`. */
const PAGE = { nodes: 500, items: 100 };

/**
 * The queries of a look at most: its status, its nodes and open items, the steps of a loop, the plan of a new revision.
 * An agent at work is a run of its own, asked three times a look at most.
 */
export function queriesOf({ status, nodes, open }: Pick<RunView, 'status' | 'nodes' | 'open'>): number {
  const pages = (count: number, page: number) => Math.max(1, Math.ceil(count / page));
  const waits = Math.max(open.length, status?.waitingFor ?? 0);
  const total = Math.max(nodes.length, status?.counts.total ?? 0);
  return 2 + pages(total, PAGE.nodes) + pages(waits, PAGE.items) + (status?.loop === undefined ? 0 : 1);
}

/** The rests between the looks of one watch. */
export function looksAfter() {
  let isFresh = false;
  let isSpoken = false;
  let waiting: (() => void)[] = [];
  let sooner = new AbortController();

  /** There are no more looks to wait for. */
  function settle(): void {
    isFresh = true;
    for (const resolve of waiting) resolve();
    waiting = [];
  }

  return {
    async rest(view: RunView, over: AbortSignal): Promise<void> {
      // A look that was under way when somebody spoke may have missed it.
      if (!isSpoken) {
        settle();
        sooner = new AbortController();
        await pause(QUERY_MS * queriesOf(view), AbortSignal.any([over, sooner.signal]));
      }
      isSpoken = false;
    },
    /** The next look is made at once; `fresh` waits for it. */
    renew(): void {
      isFresh = false;
      isSpoken = true;
      sooner.abort();
    },
    /** Resolves when a look has ended that began after the last `renew`, or after so many milliseconds. */
    fresh: (ms: number) =>
      new Promise<void>((resolve) => {
        if (isFresh) resolve();
        else {
          waiting.push(resolve);
          setTimeout(resolve, ms);
        }
      }),
    settle,
  };
}
