/** A plan document on its way to a run. */

import {
  canonicalJson,
  type JsonValue,
  type CompiledPlan,
  type Executor,
  type NodeId,
  type PlanIssue,
} from '../plan/index.ts';
import { DOCUMENTS, resultsIn, type Store } from '../store/index.ts';
import type { Client } from '@temporalio/client';
import type { RunSettings } from '../protocol/index.ts';
import type { RunHandle } from './run-handle.ts';

/** Above it a document travels by reference: history would carry it twice, as the message and as the compiler's input. */
const INLINE_BYTES = 2048;

/** Text, bytes or parsed JSON: as it stands, or its reference in the store that the worker reads too. */
export async function documentToSend(document: unknown, store: Store): Promise<{ plan: unknown } | { ref: string }> {
  const bytes = document instanceof Uint8Array ? document : Buffer.from(textOf(document), 'utf8');
  if (bytes.length > INLINE_BYTES) return { ref: await resultsIn(store, DOCUMENTS).put(bytes) };
  return { plan: document instanceof Uint8Array ? Buffer.from(bytes).toString('utf8') : document };
}

/** Deep documents would overflow JSON.stringify; the canonical form is written without recursion. */
function textOf(document: unknown): string {
  return typeof document === 'string' ? document : canonicalJson(document as JsonValue);
}

/** The options of a start: the workflow id, and the options of the run. */
export interface StartOptions {
  /** Who starts it, and in which role. With a signer the start is signed so, and rules with `notStarter` know who started it. */
  readonly by?: string | undefined;
  readonly role?: string | undefined;
  /**
   * Names one run, unless `newRun` is set. Default: words of the goal and 8 hex digits; only the digits if the client
   * encrypts, since ids are never encrypted.
   */
  readonly workflowId?: string | undefined;
  /**
   * Digits that end the id in place of random ones, so that a start of the same goal with the same digits is one start:
   * where its run is there, open or closed, that run is returned.
   */
  readonly once?: string | undefined;
  /** A run of this id that has closed is no reason not to start: this is a run of its own, which asks and carries out again. */
  readonly newRun?: boolean | undefined;
  /** Kept beside the run at the server, as Temporal's memo. */
  readonly memo?: Readonly<Record<string, unknown>> | undefined;
  /** An option that is left out is as docs/runs.md says. */
  readonly options?: RunSettings | undefined;
}

/** The outcome of a start: the run with its plan, or the issues for which no run was started. */
export type Started =
  | {
      readonly ok: true;
      readonly run: RunHandle;
      readonly plan: CompiledPlan;
      readonly warnings: readonly PlanIssue[];
      /** The executor of each node; absent without a catalogue. */
      readonly executors?: Readonly<Record<NodeId, Executor>>;
    }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/** A connection of Temporal's SDK knows its address; another form of connection may not. */
export function addressOf({ connection }: Client): string {
  const { options } = connection as { readonly options?: { readonly address?: string } };
  return options?.address ?? 'the address of its connection';
}
