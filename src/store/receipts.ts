/**
 * Receipts in a store, outside of the runs, since receipts are kept longer: `receipts/<day of the end>/<namespace and
 * workflow id as a hash>/<first run id>`. If a run ends again after a reset, its next key ends in `-2`.
 */

import type { Owner } from '../protocol/index.ts';
import { inParallel } from './in-lines.ts';
import { hashOf } from './owners.ts';
import { resultsIn } from './results.ts';
import { childrenOf, StoreError, type Store } from './store.ts';

const RECEIPTS = 'receipts/';
const DAY = 'YYYY-MM-DD'.length;
/** Maximum number of receipts of one run. */
const MOST = 1000;
const AT_ONCE = 32;

type Of = Pick<Owner, 'namespace' | 'workflowId'>;

const scopeOf = (day: string, { namespace, workflowId }: Of) =>
  `${RECEIPTS}${day}/${hashOf(JSON.stringify([namespace, workflowId]))}`;

/** Stores a receipt, unless it exists. @param at when the run ended, ISO 8601 @throws StoreError */
export async function putReceipt(store: Store, run: Owner, at: string, bytes: Buffer): Promise<void> {
  const receipts = resultsIn(store, scopeOf(at.slice(0, DAY), run));
  for (let nth = 1; nth <= MOST; nth += 1) {
    // A damaged receipt keeps its name.
    const stored = await receipts
      .enter(nth === 1 ? run.firstRunId : `${run.firstRunId}-${nth}`, bytes)
      .catch(unlessDamaged);
    if (stored !== undefined && bytes.equals(stored)) return;
  }
  throw new Error(`the store has ${MOST} other receipts of this run`);
}

/**
 * The receipts of runs that ended on this day or later; '' for a damaged one.
 * @param run only those of this run
 */
export async function receiptsIn(store: Store, from: string, run?: Of) {
  const keys: string[] = [];
  for await (const day of childrenOf(store, RECEIPTS)) {
    if (day < from.slice(0, DAY)) continue;
    for await (const { key } of store.list(run ? `${scopeOf(day, run)}/` : `${RECEIPTS}${day}/`)) keys.push(key);
  }
  return inParallel(AT_ONCE, keys, async (key) => {
    const cut = key.lastIndexOf('/');
    const bytes = await resultsIn(store, key.slice(0, cut))
      .entry(key.slice(cut + 1))
      .catch(unlessDamaged);
    return { key, text: Buffer.from(bytes ?? '').toString('utf8') };
  });
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof StoreError) || error.code !== 'corrupt') throw error;
}
