/**
 * The effect ledger: every attempt at a node, written down by the worker that makes it before it begins and after it
 * ended. One JSON object a line, in a file that processes only append to.
 */

import type { NodeEvent } from 'planwright/worker';
import { appendLine, readLines } from './json-lines.ts';

export interface LedgerEntry extends NodeEvent {
  /** ISO 8601, by the clock of the worker. */
  readonly at: string;
  /** Process id of the worker. */
  readonly pid: number;
}

/** Writes the ledger, as the `onNode` of a worker. */
export function ledgerWriter(file: string): (event: NodeEvent) => void {
  return (event) => appendLine(file, event);
}

export function readLedger(file: string): readonly LedgerEntry[] {
  return readLines(file) as readonly LedgerEntry[];
}
