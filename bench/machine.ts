/** The machine on which something is measured, and whether it is quiet enough to. */

import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, quartiles } from './median.ts';
import { round3 } from './print.ts';

export interface Machine {
  readonly node: string;
  readonly cpus: number;
  readonly model: string;
  readonly load: number;
  /** Milliseconds of a fixed piece of reckoning, median and middle half. */
  readonly spin: { readonly ms: number; readonly spread: number };
  /** Milliseconds of a small write that reaches the disk, median and middle half. */
  readonly disk: { readonly ms: number; readonly spread: number };
}

const TRIES = 15;

/** Looks at the machine for about a second. */
export function lookAtMachine(): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-disk-'));
  const file = openSync(join(folder, 'probe'), 'w');
  const facts = {
    node: process.version,
    cpus: cpus().length,
    model: cpus()[0]?.model ?? '',
    load: round3(loadavg()[0] ?? 0),
    spin: timesOf(reckon),
    disk: timesOf(() => {
      writeSync(file, 'x'.repeat(4096));
      fsyncSync(file);
    }),
  };
  closeSync(file);
  rmSync(folder, { recursive: true });
  return facts;
}

/** The middle half of a fixed piece of reckoning lies this far apart at most, as a share of its median. */
const QUIET = 0.25;

/** @returns the reason why ratios of this machine say little, or `undefined`. */
export function noiseOf({ spin, load, cpus: cores }: Machine): string | undefined {
  if (spin.spread > QUIET) return `the same reckoning takes times that lie ${Math.round(spin.spread * 100)} % apart`;
  return load > cores ? `its load is ${load} on ${cores} cores` : undefined;
}

function timesOf(once: () => void): { ms: number; spread: number } {
  const times = Array.from({ length: TRIES }, () => {
    const from = performance.now();
    once();
    return performance.now() - from;
  });
  const [low, high] = quartiles(times);
  return { ms: round3(median(times)), spread: round3((high - low) / median(times)) };
}

function reckon(): void {
  let sum = 0;
  for (let i = 0; i < 20_000_000; i++) sum = (sum + i) % 1_000_003;
  if (sum < 0) throw new Error('unreachable');
}
