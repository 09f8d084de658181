/**
 * The model ledger: every call of a model, written down by the worker that makes it before it asks and when it was answered,
 * and every reply that its journal has taken. One JSON object a line, in a file that processes only append to.
 */

import type { Usage } from 'planwright/client';
import { appendLine, readLines } from '../stage/json-lines.ts';

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

export function modelLedger(file: string): (event: ModelEvent) => void {
  return (event) => appendLine(file, event);
}

export function readModelLedger(file: string): readonly ModelEntry[] {
  return readLines(file) as readonly ModelEntry[];
}
