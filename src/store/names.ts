/** Names that are bound once: a file each, made by a link that fails where the name is taken. */

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { linkIfFree, replace, type Files } from './files.ts';
import { normalRef, refOfBytes } from './refs.ts';
import { nameSpot, objectSpot } from './spots.ts';
import type { Inventory } from './inventory.ts';
import { StoreError } from './store.ts';

export function createNames(place: string, files: Files): Pick<Inventory, 'bindAt' | 'nameAt'> {
  const mark = objectSpot(place, MARK);
  let isMarked = false;

  const nameAt = async (key: string): Promise<string | undefined> => {
    const { path } = nameSpot(place, key);
    const bytes = await files.read(path);
    if (bytes === undefined) return undefined;
    try {
      return normalRef(bytes.toString('latin1'));
    } catch (cause) {
      const message = `The binding in ${path} is no reference: the file was changed after it was written.`;
      throw new StoreError('corrupt', message, { cause });
    }
  };

  return {
    nameAt,
    async bindAt(key, ref) {
      const before = await nameAt(key);
      if (before !== undefined) return before;
      if (!isMarked && (await files.read(mark.path)) === undefined) await files.write(mark, HAS_NAMES, replace);
      isMarked = true;
      await files.write(nameSpot(place, key), Buffer.from(ref), linkIfFree);
      const winner = await nameAt(key);
      if (winner === undefined) throw new StoreError('unreadable', forgotten(key, place));
      return winner;
    },
  };
}

/** Put into every store that has names, as a file, so that it can be told from one that has lost them. */
const HAS_NAMES = Buffer.from('this store keeps names');
/** Nothing refers to it, and it is no result. */
export const MARK = refOfBytes(HAS_NAMES);

/** Whether an object is this mark. */
export function isNamesMark(ref: string): boolean {
  return ref === MARK;
}

/**
 * Whether the folder `names` of a store is gone: a copy was put back without it. Then an at-most-once effect that has
 * happened would happen again where a run is reset.
 * @example if (await hasLostNames('.planwright/results')) throw new Error('restore names');
 */
export async function hasLostNames(dir: string): Promise<boolean> {
  const place = resolve(dir);
  const isThere = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );
  return (await isThere(objectSpot(place, MARK).path)) && !(await isThere(join(place, 'names')));
}

/** Taking the own one for the winner would let an effect begin twice. */
export function forgotten(key: string, place: string): string {
  return `The result store at ${place} was told a name (${key}) and does not have it a moment later. Every process must see at once what another has written: on a file system that machines share, in a bucket, in a database.`;
}
