/** Records of a run's state are plain objects, so that a run is its own JSON. */

/** The entries of a record by numeric key, in ascending order. Skips an entry that is removed meanwhile. */
export function* numbered<One>(record: Readonly<Record<number, One>> = {}): Generator<[number, One]> {
  for (const key in record) yield [Number(key), record[Number(key)] as One];
}

/** Reads a key from outside, which may be the name of a member that every object inherits. */
export function readOwn<One>(record: Readonly<Record<string, One>>, key: string): One | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A pause that doubles with each of these times, up to `most`. All in milliseconds. */
export function doublingPause(
  { first, most }: { readonly first: number; readonly most: number },
  times: number,
): number {
  return Math.min(first * 2 ** Math.min(times, 20), most);
}

export function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}
