/**
 * The model ledger: every call of a model, written down by the worker that makes it before it asks and when it was answered,
 * and every reply that its journal has taken. One JSON object a line, in a file that processes only append to.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Usage } from 'planwright/client';

export type ModelEvent =
  /** `request`: the digest of all that is asked; `issues`: what the compiler has to say of the reply before. */
  | {
      readonly what: 'asked';
      readonly call: string;
      readonly request: string;
      readonly by: string;
      readonly wants: string;
      readonly goal: string;
      readonly task: string;
      readonly capability: string;
      readonly turn: number;
      readonly issues: readonly string[];
    }
  /** A piece of the reply, as it comes. */
  | { readonly what: 'wrote'; readonly call: string; readonly text: string }
  /** `did`: the tool that it calls with its arguments, else its text. */
  | { readonly what: 'answered'; readonly call: string; readonly did: string; readonly usage: Usage }
  /** With its usage where it was paid for all the same. */
  | { readonly what: 'failed'; readonly call: string; readonly why: string; readonly usage?: Usage }
  /** The reply under this name is kept; the run has not heard of it yet, and has by `handed-on`. */
  | { readonly what: 'journaled' | 'handed-on'; readonly name: string };

export type ModelEntry = ModelEvent & {
  /** ISO 8601, by the clock of the worker. */
  readonly at: string;
  /** Process id of the worker. */
  readonly pid: number;
};

/** A line is on its way to the disk before the call goes on, so that a SIGKILL loses none. */
export function modelLedger(file: string): (event: ModelEvent) => void {
  return (event) => {
    const entry: ModelEntry = { at: new Date().toISOString(), pid: process.pid, ...event };
    appendFileSync(file, `${JSON.stringify(entry)}\n`);
  };
}

/** All entries so far. A last line that is still being written is left for the next time. */
export function readModelLedger(file: string): readonly ModelEntry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as ModelEntry);
}
