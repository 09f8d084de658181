/**
 * The effect ledger: every attempt at a node, written down by the worker that makes it before it begins and after it
 * ended. One JSON object a line, in a file that processes only append to.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { NodeEvent } from 'planwright/worker';

export interface LedgerEntry extends NodeEvent {
  /** ISO 8601, by the clock of the worker. */
  readonly at: string;
  /** Process id of the worker. */
  readonly pid: number;
}

/**
 * Writes the ledger, as the `onNode` of a worker. A line is on its way to the disk before the attempt goes on, so that a
 * SIGKILL loses none.
 */
export function ledgerWriter(file: string): (event: NodeEvent) => void {
  return (event) => {
    const entry: LedgerEntry = { at: new Date().toISOString(), pid: process.pid, ...event };
    appendFileSync(file, `${JSON.stringify(entry)}\n`);
  };
}

/** All entries so far. A last line that is still being written is left for the next time. */
export function readLedger(file: string): readonly LedgerEntry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LedgerEntry);
}
