/**
 * The rounds of a loop, from their records in the result store: who decided, by which stages, the decision, and its
 * result.
 */

import { ROUND, type RoundRecord, type Shape } from '../../wire/contract/index.ts';
import { refOfDigest, type ResultStore } from '../../wire/results/index.ts';
import { readAs } from './ask-run.ts';

export interface RoundRange {
  /** At most so many, the newest ones. Default: all. */
  readonly last?: number;
  /** None before this round. Default 1. */
  readonly from?: number;
}

/**
 * Reads the records newest first, since each names the one before it, and gives them in order.
 * @param notes of the loop: the digest that its status names
 * @throws StoreError where the store of the run is not this one; ClientError `unreadable` where it holds no records
 */
export async function readRounds(
  store: ResultStore,
  notes: string,
  { last = Infinity, from = 1 }: RoundRange,
): Promise<readonly RoundRecord[]> {
  const read = async (digest: string, shape: Shape) => {
    const value: unknown = JSON.parse(Buffer.from(await store.get(refOfDigest(digest))).toString('utf8'));
    return readAs(shape, value, `the store, under ${digest},`);
  };
  const rounds: RoundRecord[] = [];
  let { record: next } = (await read(notes, { 'record?': 'ref' })) as { record?: string };
  while (next !== undefined && rounds.length < last) {
    const record = (await read(next, ROUND)) as RoundRecord;
    if (record.round < from) break;
    rounds.push(record);
    next = record.before;
  }
  return rounds.toReversed();
}
