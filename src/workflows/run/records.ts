/** Records of a run's state: plain objects, so that a run is its own JSON. */

/** The entries of a record by numbers, the smallest first. One that goes while they are walked is left out. */
export function* numbered<One>(record: Readonly<Record<number, One>> = {}): Generator<[number, One]> {
  for (const key in record) yield [Number(key), record[Number(key)] as One];
}

/** What a record has under a key from outside, which may be the name of something that every object has. */
export function own<One>(record: Readonly<Record<string, One>>, key: string): One | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}
