/** Names that are bound once: a file each, made by a link that fails where the name is taken. */

import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { linkIfFree, replace, type Files } from './files.ts';
import { normalRef, refOfBytes } from './refs.ts';
import { nameSpot, objectSpot } from './spots.ts';
import { StoreError, type ResultStore } from './store.ts';

export function createNames(place: string, files: Files): Pick<ResultStore, 'bind' | 'bound'> {
  const mark = objectSpot(place, MARK);
  let isMarked = false;

  const bound = async (name: string): Promise<string | undefined> => {
    const { path } = nameSpot(place, name);
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
    bound,
    async bind(name, ref) {
      const wanted = normalRef(ref);
      const before = await bound(name);
      if (before !== undefined) return before;
      if (!isMarked && (await files.read(mark.path)) === undefined) await files.write(mark, HAS_NAMES, replace);
      isMarked = true;
      await files.write(nameSpot(place, name), Buffer.from(wanted), linkIfFree);
      const winner = await bound(name);
      if (winner === undefined) throw new StoreError('unreadable', forgotten(name, place));
      return winner;
    },
  };
}

/** Put into every store that has names, as a file, so that it can be told from one that has lost them. */
const HAS_NAMES = Buffer.from('this store keeps names');
const MARK = refOfBytes(HAS_NAMES);

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
function forgotten(name: string, place: string): string {
  return `${place} was told the name ${name} and does not have it a moment later; a store that several machines share needs a file system on which each sees at once what another has written`;
}
