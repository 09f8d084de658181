/** The interface of a run for programs. */

import type { Answer, Control, Decision, RunEnd, RunParts, RunView, ViewOptions } from '../protocol/index.ts';
import type { Result, ResultStore } from '../store/index.ts';
import type { Ack } from './send-message.ts';

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
