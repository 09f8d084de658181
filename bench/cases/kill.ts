/**
 * kill -9 and resume: the process at work is killed when half of the nodes have ended, and started anew. A ledger
 * outside counts executions; the time runs from the start of the new process to the end of the run; the net
 * one from when the process is at work.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender } from '../contender.ts';
import { judgeKill, readLedger } from '../ledger.ts';
import { chains } from '../shapes.ts';
import type { Case } from './case.ts';

/** Joins write no line: in some engines they are no work of a person's code. */
const CHAINS = 16;
const LENGTH = 16;
const NAP_MS = 20;
const LOOK_MS = 2;
/** To come to the middle. */
const HALF_MS = 300_000;

export const kill: Case = {
  name: 'kill -9 at half of 256 nodes',
  unit: 's until the end',
  per: 1000,
  rounds: 'cold',
  async measure(contender) {
    const folder = mkdtempSync(join(tmpdir(), 'planwright-ledger-'));
    const ledger = join(folder, 'ledger');
    const shape = { ...chains(CHAINS, LENGTH, NAP_MS), ledger };
    const run = folder.slice(folder.lastIndexOf('-') + 1);
    const nodes = shape.inputs.flatMap((needed, node) => (needed.length < 2 ? [node] : []));
    try {
      contender.begin({ does: 'plan', shape, run });
      await half(ledger, nodes.length / 2, contender);
      await contender.kill();
      const before = readLedger(ledger);
      const kept = new Set(await contender.kept(shape, run));
      const from = performance.now();
      await contender.restart();
      // What the engine takes without its own start.
      const emptyMs = performance.now() - from;
      const went = await contender.ask({ does: 'resume', shape, run });
      if ('cannot' in went) return went;
      const ms = performance.now() - from;
      return { ms, emptyMs, facts: { ...judgeKill(nodes, before, readLedger(ledger), kept) } };
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function half(ledger: string, count: number, { name }: Contender): Promise<void> {
  const deadline = performance.now() + HALF_MS;
  while (readLedger(ledger).ended.length < count) {
    if (performance.now() > deadline) throw new Error(`${name} has not come to half of the nodes`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
