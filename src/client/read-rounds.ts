/**
 * The rounds of a loop, from their records in the result store: who decided, by which stages, the decision, and its
 * result.
 */

import { ROUND, type RoundRecord, type Shape, type ViewOptions } from '../protocol/index.ts';
import type { ResultStore } from '../store/index.ts';
import { readAs } from './ask-run.ts';

/**
 * Reads the records newest first, since each names the one before it, and gives them in order.
 * @param notes of the loop: the reference that its status names
 * @throws StoreError where the store of the run is not this one; ClientError `unreadable` where it holds no records
 */
export async function readRounds(
  store: Pick<ResultStore, 'get'>,
  notes: string,
  { last = Infinity, from = 1 }: Pick<ViewOptions, 'last' | 'from'>,
): Promise<readonly RoundRecord[]> {
  const read = async <const S extends Shape>(ref: string, shape: S) => {
    const value: unknown = JSON.parse(Buffer.from(await store.get(ref)).toString('utf8'));
    return readAs(shape, value, `the store, under ${ref},`);
  };
  const rounds: RoundRecord[] = [];
  let { record: next } = await read(notes, { record: 'ref?' });
  while (next !== undefined && rounds.length < last) {
    const record = await read(next, ROUND);
    if (record.round < from) break;
    rounds.push(record);
    next = record.before;
  }
  return rounds.toReversed();
}
