/** The ledger of a shape, outside every engine: what began and ended, whoever carried it out. */

import { readFileSync } from 'node:fs';

/** The lines of a ledger up to now: node numbers in the order in which they began and ended. */
export interface Ledger {
  readonly began: readonly number[];
  readonly ended: readonly number[];
}

/** A line is `b 12` or `e 12`. @throws Error where it is anything else. */
export function ledgerIn(text: string): Ledger {
  const lines = text.split('\n').filter((line) => line !== '');
  const other = lines.find((line) => !/^[be] \d+$/.test(line));
  if (other !== undefined) throw new Error(`a line of the ledger is "${other}", and not such as "b 12" or "e 12"`);
  const of = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => Number(line.slice(2)));
  return { began: of('b'), ended: of('e') };
}

/** @returns an empty one while nobody has written. */
export function readLedger(path: string): Ledger {
  try {
    return ledgerIn(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { began: [], ended: [] };
    throw error;
  }
}

/** How many nodes had ended when the process was killed, were kept, and what became of all. */
export interface AfterKill {
  readonly ended: number;
  /** Those whose results the engine still has after the kill. */
  readonly kept: number;
  /** How many of those kept were begun again after the restart. */
  readonly keptAgain: number;
  /** How many of those ended were begun again after the restart. */
  readonly endedAgain: number;
  /** Those that had not ended when the run had. */
  readonly lost: number;
}

/**
 * @param nodes those that write to the ledger
 * @param before the ledger after the kill and before the restart
 * @param after the ledger at the end, which begins with the one before
 * @param kept the nodes whose results the engine has after the kill; others than `nodes` are passed over
 */
export function judgeKill(
  nodes: readonly number[],
  before: Ledger,
  after: Ledger,
  kept: ReadonlySet<number>,
): AfterKill {
  const ended = new Set(before.ended);
  const again = new Set(after.began.slice(before.began.length));
  const endedAtLast = new Set(after.ended);
  const count = (fits: (node: number) => boolean) => nodes.filter(fits).length;
  return {
    ended: ended.size,
    kept: count((node) => kept.has(node)),
    keptAgain: count((node) => kept.has(node) && again.has(node)),
    endedAgain: count((node) => ended.has(node) && again.has(node)),
    lost: count((node) => !endedAtLast.has(node)),
  };
}
