/** Objects that are asked for in one turn of the event loop, read by one statement: who looks through a store asks for each. */

import { setImmediate } from 'node:timers/promises';
import type { Database } from './database.ts';
import { bytesOf, refIn } from './inventory.ts';
import { GET, GET_SMALL } from './tables.ts';

/** Objects of one statement. */
const READ_AT_ONCE = 100;

interface Turn {
  readonly refs: Set<string>;
  readonly found: Promise<ReadonlyMap<string, Buffer | null>>;
}

/** @returns the pieces of an object, none where it is not there; those of a large one are read by a statement of its own */
export function createReads(database: Database): (ref: string) => Promise<readonly Buffer[]> {
  let turn: Turn | undefined;

  const begin = (): Turn => {
    const refs = new Set<string>();
    const read = async () => {
      await setImmediate();
      if (turn?.refs === refs) turn = undefined;
      const rows = refs.size === 1 ? [] : await database.read(GET_SMALL, [[...refs].map(bytesOf)]);
      return new Map(rows.map((row) => [refIn(row), row['bytes'] as Buffer | null]));
    };
    return { refs, found: read() };
  };

  return async (ref) => {
    const { refs, found } = (turn ??= begin());
    refs.add(ref);
    if (refs.size === READ_AT_ONCE) turn = undefined;
    const bytes = (await found).get(ref);
    // Two that ask for one object may change what they are given.
    if (bytes) return [Buffer.from(bytes)];
    return (await database.read(GET, [bytesOf(ref)])).map((row) => row['bytes'] as Buffer);
  };
}
