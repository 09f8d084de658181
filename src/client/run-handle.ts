/** One run, as a program talks to it. Every call has a deadline; a run itself may take days. */

import type { Answer, Control, Decision, RunEnd, RunParts, RunView, ViewOptions } from '../protocol/index.ts';
import type { Result, ResultStore } from '../store/index.ts';
import type { Told } from './say.ts';

/**
 * One run, as a program talks to it: it reads the state, says decisions, answers and control actions, and waits for the
 * end. Every call has a deadline, but for the waits for the end.
 */
export interface RunHandle {
  readonly workflowId: string;
  /**
   * The run as it is now: the named parts of it, read anew. What the run tells itself (status, plan, nodes, open, trace)
   * is of one moment, as far as one answer has room.
   * @param parts default: its status, its nodes, and what waits for a person
   * @throws ClientError `no-worker` where a part needs one and none answers, `no-run`, `no-server`; StoreError where a
   * part is in another store
   * @example const { status, open } = await run.view(['status', 'open']);
   */
  view<Part extends keyof RunParts = 'status' | 'nodes' | 'open'>(
    parts?: readonly Part[],
    options?: ViewOptions,
  ): Promise<Pick<RunParts, Part>>;
  /**
   * Every view of the run from now to its end, as `planwright watch` shows them; the last one has its `end`. While no
   * worker or no server answers, a view says so in `trouble`.
   * @throws the reason of the signal, which ends the watch and not the run; ClientError where no run can be followed
   * @example for await (const { status, end } of run.follow()) show(status, end);
   */
  follow(options?: FollowOptions): AsyncGenerator<RunView, void>;
  /**
   * Says a decision, an answer or an operator's word, and waits until the run answers. Without a worker it is left as a
   * signal, which the server keeps until one is there. The `plan` of an edit may be text, bytes or parsed JSON.
   * To say the same again is no mistake: it counts once.
   * @throws ClientError `refused` or `stale` with the run's reason, its `refusal` and, of an edit, the `issues`.
   */
  decide(decision: Decision, options?: SayOptions): Promise<Told>;
  answer(answer: Answer): Promise<Told>;
  control(control: Control): Promise<Told>;
  /** Cancels its workflow, as Temporal has it: by whoever reaches the server, without a signature. */
  cancel(): Promise<void>;
  /** Waits for the end, through outages of the server. `signal` ends the wait, not the run. */
  end(signal?: AbortSignal): Promise<RunEnd>;
  /**
   * Waits for the end, and reads what the plan's root came to from the result store.
   * @throws ClientError `not-done` with the reason where the run ended otherwise, `invalid-plan` where its worker refused
   * the plan; StoreError where the store is another one
   */
  result(signal?: AbortSignal): Promise<Result>;
  /** Reads the content of a handle, such as those in `end()` and of nodes. */
  readResult(ref: string): Promise<Result>;
  /** What the result store has of this run, as bytes by their references: its plan, for one. */
  readonly store: Pick<ResultStore, 'get' | 'place'>;
}

/** The options of `RunHandle.decide`: how long it waits for the run to answer. */
export interface SayOptions {
  /** Milliseconds after which the message is left with the server, as without a worker. Default and at most 5000. */
  readonly answerMs?: number | undefined;
}

/** The options of `RunHandle.follow`: how often the run is asked, what is read, and the signal that ends the watch. */
export interface FollowOptions {
  /** Ends the watch, which then throws the signal's reason; the run goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between two questions to the run. Default 300. */
  readonly everyMs?: number | undefined;
  /** The wait between two questions, in place of `everyMs`; called after each view. */
  readonly rest?: ((view: RunView, over: AbortSignal) => Promise<unknown>) | undefined;
  /** The result store is read, for the open plan and short values of nodes. Default: the store is left alone. */
  readonly contents?: boolean | undefined;
}
