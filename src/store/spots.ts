/** The files of a store in a directory. The key of a name is its SHA-256: any text is one, and none leads out of the store. */

import { join } from 'node:path';
import type { Spot } from './files.ts';

/** The file of an object: `objects/ab/<ref>`. */
export function objectSpot(place: string, ref: string): Spot {
  const beside = join(place, 'objects', ref.slice(0, 2));
  return { beside, path: join(beside, ref) };
}

/** The file of a binding: `names/ab/<hash of the name>`. */
export function nameSpot(place: string, key: string): Spot {
  const hash = hexOf(key);
  const beside = join(place, 'names', hash.slice(0, 2));
  return { beside, path: join(beside, hash) };
}

/** The folder of the values kept under a name: `kept/ab/<hash of the name>`. */
export function keptFolder(place: string, key: string): string {
  const hash = hexOf(key);
  return join(place, 'kept', hash.slice(0, 2), hash);
}

/** The file of such a value. It is written beside its folder, so that the folder has values alone. */
export function keptSpot(place: string, key: string, ref: string): Spot {
  const folder = keptFolder(place, key);
  return { beside: join(folder, '..'), path: join(folder, ref) };
}

/**
 * An object that is being taken away, `doomed/<ref>`: it is read there until it is gone, and put back if it was stored again in
 * the moment before.
 */
export function doomedPath(place: string, ref: string): string {
  return join(place, 'doomed', ref);
}

function hexOf(key: string): string {
  return Buffer.from(key, 'base64url').toString('hex');
}
