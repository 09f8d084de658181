/** Yields entries in ascending order of numeric keys. Skips an entry that is removed during the loop. */
export function* numbered<One>(record: Readonly<Record<number, One>> = {}): Generator<[number, One]> {
  for (const key in record) yield [Number(key), record[Number(key)] as One];
}

/** Reads a key from outside. A plain lookup would also find inherited members such as `constructor`. */
export function readOwn<One>(record: Readonly<Record<string, One>>, key: string): One | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

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
