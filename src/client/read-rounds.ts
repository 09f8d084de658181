/** The rounds of a loop, from their records in the result store: who decided, by which stages, what, and what came of it. */

import { isRecord, type RoundRecord } from '../contract/index.ts';
import { refOfDigest, type ResultStore } from '../results/index.ts';

type Json = Readonly<Record<string, unknown>>;

export interface RoundRange {
  /** At most so many, the newest ones. Default: all. */
  readonly last?: number;
  /** None before this round. Default 1. */
  readonly from?: number;
}

/**
 * Reads the records newest first, since each names the one before it, and gives them in order.
 * @param notes of the loop: the digest that its status names
 * @throws StoreError where the store of the run is not this one
 */
export async function readRounds(
  store: ResultStore,
  notes: string,
  { last = Infinity, from = 1 }: RoundRange,
): Promise<readonly RoundRecord[]> {
  const rounds: RoundRecord[] = [];
  let next = textIn(await readJson(store, notes), 'record');
  while (next !== undefined && rounds.length < last) {
    const record = await readJson(store, next);
    const round = record as unknown as RoundRecord;
    if (round.round < from) break;
    rounds.push(round);
    next = textIn(record, 'before');
  }
  return rounds.toReversed();
}

async function readJson(store: ResultStore, digest: string): Promise<Json> {
  const value: unknown = JSON.parse(Buffer.from(await store.get(refOfDigest(digest))).toString('utf8'));
  return isRecord(value) ? value : {};
}

function textIn(record: Json, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' ? value : undefined;
}
