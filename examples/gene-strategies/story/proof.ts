/** The proof that the ledger gives about a worker that was killed. Pure, so that a test can hand it a ledger that proves the contrary. */

import type { LedgerEntry } from '../../stage/index.ts';

/** The moment at which a worker was killed. */
export interface Kill {
  readonly pid: number;
  /** Nodes whose completion the server had recorded. */
  readonly finished: ReadonlySet<string>;
  /** Nodes that the killed worker had begun and whose completion the server had not recorded. */
  readonly inFlight: ReadonlySet<string>;
}

export interface ProofRow {
  readonly nodeId: string;
  readonly started: number;
  readonly finished: number;
  /** Process ids of the workers, in the order in which they began an attempt, each once. */
  readonly pids: readonly number[];
  readonly standing: 'finished before' | 'in flight' | 'after' | 'no kill';
}

export interface Proof {
  readonly rows: readonly ProofRow[];
  /** Sentences; empty when the ledger is as it must be. */
  readonly faults: readonly string[];
}

export function proofOf(nodeIds: readonly string[], ledger: readonly LedgerEntry[], kill?: Kill): Proof {
  const rows = nodeIds.map((nodeId): ProofRow => {
    const entries = ledger.filter((entry) => entry.nodeId === nodeId);
    const starts = entries.filter(({ what }) => what === 'started');
    return {
      nodeId,
      started: starts.length,
      finished: entries.filter(({ what }) => what === 'succeeded').length,
      pids: [...new Set(starts.map(({ pid }) => pid))],
      standing: standingOf(nodeId, kill),
    };
  });
  return { rows, faults: rows.flatMap((row) => faultsOf(row, ledger)) };
}

/** The nodes that somebody has begun to carry out and nobody has ended. */
export function openNodes(ledger: readonly LedgerEntry[]): ReadonlySet<string> {
  const open = new Set<string>();
  for (const { what, nodeId } of ledger) {
    if (what === 'started') open.add(nodeId);
    else open.delete(nodeId);
  }
  return open;
}

function standingOf(nodeId: string, kill: Kill | undefined): ProofRow['standing'] {
  if (kill === undefined) return 'no kill';
  if (kill.finished.has(nodeId)) return 'finished before';
  return kill.inFlight.has(nodeId) ? 'in flight' : 'after';
}

function faultsOf(
  { nodeId, started, finished, standing }: ProofRow,
  ledger: readonly LedgerEntry[],
): readonly string[] {
  if (finished === 0) return [`${nodeId} has a result, and no worker wrote down that it finished.`];
  if (started === 1 || standing === 'in flight') return [];
  const attempts = ledger.filter((entry) => entry.nodeId === nodeId && entry.what === 'started');
  const when = attempts.map(({ at, pid }) => `${at} by ${pid}`).join(', ');
  const where = standing === 'finished before' ? ', though it had finished before the kill' : '';
  return [`${nodeId} was started ${started} times (${when})${where}.`];
}
