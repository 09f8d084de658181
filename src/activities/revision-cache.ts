/** Revisions as they were decoded, so that a plan of a thousand nodes is decoded once and not a thousand times. */

import type { Owner } from '../protocol/index.ts';
import { runScope, type ResultStore } from '../store/index.ts';
import { readRevision, type Revision } from './revision.ts';

export interface RevisionCache {
  /**
   * @param run whose revision it is: what another run has is not there for this one
   * @param store of that run
   * @throws StoreError or RunFailureError `ResultCorrupt`, as reading it does; what failed is read again next time
   */
  load(run: Owner, ref: string, store: ResultStore): Promise<Revision>;
}

interface Kept {
  readonly revision: Promise<Revision>;
  /** Its share of `MOST_NODES`; known when it is there. */
  nodes: number;
}

/**
 * A decoded node takes about 1 kB.
 * @bound nodes of the plans that a worker keeps decoded
 * @beyond the plan used longest ago is forgotten
 */
const MOST_NODES = 200_000;

/** Keeps those that were used last, as many as fit: at least one. @param read is for tests */
export function createRevisionCache(read = readRevision): RevisionCache {
  const kept = new Map<string, Kept>();
  return {
    load(run, ref, store) {
      const key = `${runScope(run)} ${ref}`;
      const known = kept.get(key);
      if (known !== undefined) {
        // The last in the map is the one that was used last.
        kept.delete(key);
        kept.set(key, known);
        return known.revision;
      }
      const revision = read(store, ref);
      const entry: Kept = { revision, nodes: 0 };
      kept.set(key, entry);
      revision.then(
        ({ plan }) => {
          entry.nodes = plan.tasks.length + plan.combines.length;
          forgetOldest();
        },
        () => kept.delete(key),
      );
      return revision;
    },
  };

  function forgetOldest(): void {
    let nodes = 0;
    for (const one of kept.values()) nodes += one.nodes;
    for (const [key, one] of kept) {
      if (nodes <= MOST_NODES || kept.size === 1) return;
      nodes -= one.nodes;
      kept.delete(key);
    }
  }
}
