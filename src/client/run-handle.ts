/** The interface of a run for programs. */

import type {
  Answer,
  Control,
  Decision,
  RunEnd,
  RunParts,
  RunView,
  ViewOptions,
  RunSettings,
} from '../protocol/index.ts';
import { type Result, type ResultStore, DOCUMENTS, resultsIn, type Store } from '../store/index.ts';
import type { Ack } from './send-message.ts';
import {
  canonicalJson,
  type JsonValue,
  type CompiledPlan,
  type Executor,
  type NodeId,
  type PlanIssue,
} from '../plan/index.ts';
import type { Client } from '@temporalio/client';

/** One run: reads its state, sends messages, and waits for its end. All calls except the waits have a time limit. */
export interface RunHandle {
  readonly workflowId: string;
  /**
   * Reads parts of the run's current state. The parts from the run itself (status, plan, nodes, open, trace) are of one
   * moment, as far as they fit into one answer.
   * @param parts default: status, nodes, and what waits for a person
   * @throws ClientError `no-worker` if a part needs a worker and none answers, `no-run`, `no-server`; StoreError if a
   * part is in another store
   * @example const { status, open } = await run.view(['status', 'open']);
   */
  view<Part extends keyof RunParts = 'status' | 'nodes' | 'open'>(
    parts?: readonly Part[],
    options?: ViewOptions,
  ): Promise<Pick<RunParts, Part>>;
  /**
   * Yields every view of the run until its end, as `planwright watch` shows them. The last one has its `end`. If no
   * worker or server answers, `trouble` says so.
   * @throws ClientError if the run cannot be followed; the signal's reason if it aborts, which ends the watch, not the
   * run
   * @example for await (const { status, end } of run.follow()) show(status, end);
   */
  follow(options?: FollowOptions): AsyncGenerator<RunView, void>;
  /**
   * Sends a decision, an answer or a control action, and waits for the run's reply. Without a worker it becomes a
   * signal, which the server stores until a worker runs. The `plan` of an edit may be text, bytes or parsed JSON.
   * Sending the same again is harmless: it counts once.
   * @throws ClientError `refused` or `stale` with the run's reason, its `refusal` and, for an edit, the `issues`
   */
  decide(decision: Decision, options?: SayOptions): Promise<Ack>;
  answer(answer: Answer): Promise<Ack>;
  control(control: Control): Promise<Ack>;
  /** Cancels the workflow through Temporal. Anyone with access to the server may do so, without a signature. */
  cancel(): Promise<void>;
  /** Waits for the end, even through outages of the server. `signal` ends the wait, not the run. */
  end(signal?: AbortSignal): Promise<RunEnd>;
  /**
   * Waits for the end, then reads the result of the plan's root from the store.
   * @throws ClientError `not-done` if there is no result, `invalid-plan` if the worker rejected the plan; StoreError
   */
  result(signal?: AbortSignal): Promise<Result>;
  /** Reads the content of a handle, for example from `end()` or a node. */
  readResult(ref: string): Promise<Result>;
  /** Reads bytes from this run's result store by reference, for example its plan. */
  readonly store: Pick<ResultStore, 'get' | 'place'>;
}

/** The options of `RunHandle.decide`. */
export interface SayOptions {
  /** Milliseconds until the message is stored at the server as a signal. Default and maximum 5000. */
  readonly answerMs?: number | undefined;
}

/** The options of `RunHandle.follow`. */
export interface FollowOptions {
  /** If it aborts, the watch throws its reason. The run continues. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between two queries of the run. Default 300. */
  readonly everyMs?: number | undefined;
  /** Called after each view instead of the pause of `everyMs`; resolves when the run should be queried again. */
  readonly rest?: ((view: RunView, over: AbortSignal) => Promise<unknown>) | undefined;
  /** Also read the open plan and short values of nodes from the result store. Default false. */
  readonly contents?: boolean | undefined;
}

/** Maximum bytes of a document in a message, since the history has it twice. Larger ones are sent by reference. */
const INLINE_BYTES = 2048;

/** Stores a large document in the workers' store and returns its reference. Returns a small one unchanged. */
export async function documentToSend(document: unknown, store: Store): Promise<{ plan: unknown } | { ref: string }> {
  const bytes = document instanceof Uint8Array ? document : Buffer.from(textOf(document), 'utf8');
  if (bytes.length > INLINE_BYTES) return { ref: await resultsIn(store, DOCUMENTS).put(bytes) };
  return { plan: document instanceof Uint8Array ? Buffer.from(bytes).toString('utf8') : document };
}

/** Writes canonical JSON without recursion, since `JSON.stringify` overflows the stack on a deep document. */
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

/** The server's address. Connections of Temporal's SDK know theirs, others may not. */
export function addressOf({ connection }: Client): string {
  const { options } = connection as { readonly options?: { readonly address?: string } };
  return options?.address ?? 'the address of its connection';
}
