/** The files of a store in a directory. A name is hashed: any text is one, and none leads out of the store. */

import { join } from 'node:path';
import type { Spot } from './files.ts';
import { digestOf } from './refs.ts';

/** The file of an object: `objects/ab/<ref>`. */
export function objectSpot(place: string, ref: string): Spot {
  const beside = join(place, 'objects', ref.slice(0, 2));
  return { beside, path: join(beside, ref) };
}

/** The file of a binding: `names/ab/<hash of the name>`. */
export function nameSpot(place: string, name: string): Spot {
  const hash = digestOf(name).toString('hex');
  const beside = join(place, 'names', hash.slice(0, 2));
  return { beside, path: join(beside, hash) };
}

/** The folder of the values kept under a name: `kept/ab/<hash of the name>`. */
export function keptFolder(place: string, name: string): string {
  const hash = digestOf(name).toString('hex');
  return join(place, 'kept', hash.slice(0, 2), hash);
}

/** The file of such a value. It is written beside its folder, so that the folder has values alone. */
export function keptSpot(place: string, name: string, ref: string): Spot {
  const folder = keptFolder(place, name);
  return { beside: join(folder, '..'), path: join(folder, ref) };
}
