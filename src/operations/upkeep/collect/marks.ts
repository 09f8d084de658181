/** What is needed: everything that can be reached from where it begins. */

import { StoreError, type OpenedStore } from '../../../store/index.ts';
import { eachOf } from '../each-of.ts';
import { EDGE, referencesIn, wordsIn, type Word } from './references.ts';

export interface Marks {
  /** Takes in words that may refer to something. */
  see(words: readonly Word[]): void;
  /** Marks an object whose words are seen by whoever calls this. */
  reach(ref: string): void;
  /** Reads what was reached, and goes on from there until nothing is new. */
  follow(count: () => void, signal?: AbortSignal): Promise<void>;
  has(ref: string): boolean;
}

/** @param sizes the bytes of every object of the store, by its reference */
export function createMarks(store: OpenedStore, sizes: ReadonlyMap<string, number>): Marks {
  const reached = new Set<string>();
  const sets = new Set<string>();
  const edges = new Map<string, { readonly head: string; readonly tail: string }>();
  let queue: string[] = [];
  let neighbours: (readonly [string, string])[] = [];

  const see = (words: readonly Word[]): void => {
    let before: string | undefined;
    for (const { word: ref, isSet } of referencesIn(words, (one) => sizes.has(one))) {
      if (isSet) sets.add(ref);
      if (!reached.has(ref)) queue.push(ref);
      reached.add(ref);
      // Pages of one text stand beside each other, and were cut anywhere.
      if (before !== undefined) neighbours.push([before, ref]);
      before = ref;
    }
  };

  const read = async (ref: string): Promise<void> => {
    if (sets.has(ref)) return;
    const text = Buffer.from(await bytesOf(ref)).toString('latin1');
    see(wordsIn(text));
    edges.set(ref, { head: text.slice(0, EDGE), tail: text.slice(-EDGE) });
  };

  /** One that is damaged refers to nothing that anybody could find; `store check` tells of it. */
  const bytesOf = async (ref: string): Promise<Uint8Array> => {
    try {
      return await store.get(ref);
    } catch (error) {
      if (error instanceof StoreError && error.code !== 'unreadable') return new Uint8Array();
      throw error;
    }
  };

  return {
    see,
    reach: (ref) => void reached.add(ref),
    has: (ref) => reached.has(ref),
    async follow(count, signal) {
      while (queue.length > 0) {
        const now = queue;
        queue = [];
        const work = async ({ ref }: { readonly ref: string }) => {
          await read(ref);
          count();
        };
        await eachOf(
          now.map((ref) => ({ ref, bytes: sizes.get(ref) ?? 0 })),
          work,
          signal,
        );
        const pairs = neighbours;
        neighbours = [];
        for (const pair of pairs) {
          const [before, behind] = pair.map((ref) => edges.get(ref));
          if (before !== undefined && behind !== undefined) see(wordsIn(before.tail + behind.head));
          else if (!pair.some((ref) => sets.has(ref))) neighbours.push(pair);
        }
      }
    },
  };
}
