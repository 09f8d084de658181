/** Gathers calls into groups, each committed at once, so that many writers share one wait for the disk. */

import { setImmediate } from 'node:timers/promises';

/** Its bytes are on the disk when the promise resolves. */
export type Join<Item> = (item: Item) => Promise<void>;

interface Waiting<Item> {
  readonly item: Item;
  resolve(): void;
  reject(reason: unknown): void;
}

/**
 * Calls of one turn of the event loop are a group, and so are those that come while a group is committed. A group that fails
 * fails for all of its calls, and the next one is tried anew.
 * @param most a group ends with the item that brings it to as much; later ones are in the next
 * @param weigh what an item counts towards it
 */
export function createGroups<Item>(
  commit: (items: readonly Item[]) => Promise<void>,
  most: number,
  weigh: (item: Item) => number,
): Join<Item> {
  let waiting: Waiting<Item>[] = [];
  let isCommitting = false;

  const takeGroup = (): readonly Waiting<Item>[] => {
    let weight = 0;
    const end = waiting.findIndex(({ item }) => (weight += weigh(item)) >= most) + 1 || waiting.length;
    const group = waiting.slice(0, end);
    waiting = waiting.slice(end);
    return group;
  };

  const commitAll = async (): Promise<void> => {
    isCommitting = true;
    while (waiting.length > 0) {
      // Those who were told of the last group have a turn in which to join the next.
      await setImmediate();
      const group = takeGroup();
      await commit(group.map(({ item }) => item)).then(
        () => group.forEach(({ resolve }) => resolve()),
        (error: unknown) => group.forEach(({ reject }) => reject(error)),
      );
    }
    isCommitting = false;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isCommitting) void commitAll();
    });
}
