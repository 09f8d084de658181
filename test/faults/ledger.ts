/**
 * The effect ledger: what capabilities did and what people said, kept outside Temporal so that it can judge it. One JSON
 * object a line, in a file that every process of a scenario appends to and that is on the disk before work goes on.
 */

import { existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Effect } from '../../src/plan/index.ts';

/** What a person can say that lets work begin, or forbids it. */
export type WordKind =
  | 'approve'
  | 'withdraw'
  | 'reject'
  | 'edit'
  | 'pause'
  | 'resume'
  | 'cancel-node'
  | 'retry-node'
  | 'cancel';

/** A capability was called, or has returned. */
export interface Deed {
  readonly kind: 'begin' | 'end';
  /** Milliseconds since 1970, by the one clock of the machine. */
  readonly at: number;
  readonly pid: number;
  /** Workflow id. */
  readonly run: string;
  readonly activity: string;
  readonly attempt: number;
  /** The name that the plan gives the work: the same in every plan of a run, which a node's id is not. */
  readonly name: string;
  readonly key: string;
  readonly effect: Effect;
}

/** Something was said to a run. */
export interface Said {
  readonly kind: 'said';
  readonly at: number;
  readonly id: number;
  readonly run: string;
  readonly word: WordKind;
  /** What it is about, by name; absent: all of the run. */
  readonly names?: readonly string[];
}

/** The run answered what was said, from `at` on it knows it. What was refused changed nothing. */
export interface Heard {
  readonly kind: 'heard' | 'refused';
  readonly at: number;
  readonly id: number;
}

/** A run was started. `names`: the work that must have ended when the run is done. */
export interface Opened {
  readonly kind: 'opened';
  readonly at: number;
  readonly run: string;
  readonly names: readonly string[];
}

/** A run has ended. */
export interface Ended {
  readonly kind: 'ended';
  readonly at: number;
  readonly run: string;
  readonly how: string;
  /** The outcome of a completed run, the type of a failed one. */
  readonly outcome: string;
  readonly reason: string;
}

/** Who waited for the end of a run was told an error instead. */
export interface GaveUp {
  readonly kind: 'gave-up';
  readonly at: number;
  readonly run: string;
  readonly text: string;
}

/** A fault was made, while so many capabilities were at work. */
export interface Fault {
  readonly kind: 'fault';
  readonly at: number;
  readonly fault: string;
  readonly inFlight: number;
}

export type Line = Deed | Said | Heard | Opened | Ended | GaveUp | Fault;

/** Appends whole lines, until the process ends: a write of less than a page with O_APPEND is not mixed with others on a local disk. */
export function openLedger(file: string): (line: Line) => void {
  const handle = openSync(file, 'a');
  return (line) => {
    writeSync(handle, `${JSON.stringify(line)}\n`);
    fsyncSync(handle);
  };
}

/** All lines so far. A last one that is still being written is left for the next time. */
export function readLedger(file: string): readonly Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Line);
}

export function deedsOf(lines: readonly Line[], kind: Deed['kind']): readonly Deed[] {
  return lines.filter((line): line is Deed => line.kind === kind);
}

/** What has begun and has not ended, in any attempt. */
export function inFlight(lines: readonly Line[]): readonly Deed[] {
  const ended = new Set(deedsOf(lines, 'end').map(attemptOf));
  return deedsOf(lines, 'begin').filter((deed) => !ended.has(attemptOf(deed)));
}

function attemptOf({ key, pid, attempt }: Deed): string {
  return `${key} ${pid} ${attempt}`;
}
