/** Sends a plan document to a run; a large document goes through the result store. Also the types of a start. */

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

/** A larger document is sent by reference. Otherwise the history would contain it twice. */
const INLINE_BYTES = 2048;

/** Puts a large document into the workers' store and returns its reference. Returns a small one unchanged. */
export async function documentToSend(document: unknown, store: Store): Promise<{ plan: unknown } | { ref: string }> {
  const bytes = document instanceof Uint8Array ? document : Buffer.from(textOf(document), 'utf8');
  if (bytes.length > INLINE_BYTES) return { ref: await resultsIn(store, DOCUMENTS).put(bytes) };
  return { plan: document instanceof Uint8Array ? Buffer.from(bytes).toString('utf8') : document };
}

/** Writes the canonical form without recursion, since `JSON.stringify` would overflow the stack on a deep document. */
function textOf(document: unknown): string {
  return typeof document === 'string' ? document : canonicalJson(document as JsonValue);
}

/** The options of a start. */
export interface StartOptions {
  /** The person who starts the run, and the role. With a signer the start is signed, which proves its author. */
  readonly by?: string | undefined;
  readonly role?: string | undefined;
  /** The workflow id. Default: words of the goal and 8 hex digits; only the digits if the client encrypts. */
  readonly workflowId?: string | undefined;
  /** Digits at the end of the id that make the start idempotent: an existing run, open or closed, is returned. */
  readonly once?: string | undefined;
  /** Start a new run even if a closed run has this id. It asks for approval and executes everything again. */
  readonly newRun?: boolean | undefined;
  /** Stored with the run at the server, as Temporal's memo. */
  readonly memo?: Readonly<Record<string, unknown>> | undefined;
  readonly options?: RunSettings | undefined;
}

/** The outcome of a start: the run with its plan, or the issues that prevented the start. */
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

/** The server's address, which connections of Temporal's SDK know and others may not. */
export function addressOf({ connection }: Client): string {
  const { options } = connection as { readonly options?: { readonly address?: string } };
  return options?.address ?? 'the address of its connection';
}
