/** One run, as a program talks to it. Every call has a deadline; a run itself may take days. */

import type {
  Answer,
  Control,
  Decision,
  NodeView,
  OpenItem,
  PlanView,
  RoundRecord,
  RunStatus,
  TraceEntry,
  TracePage,
} from '../protocol/index.ts';
import type { RunView } from './follow/run-view.ts';
import type { Result } from '../store/index.ts';
import type { AttemptView } from './attempts.ts';
import type { Begun, BegunOptions } from './begun.ts';
import type { RoundRange } from './read-rounds.ts';
import type { RunEnd } from './run-end.ts';
import type { Told } from './say.ts';

/**
 * One run, as a program talks to it: it reads the state, says decisions, answers and control actions, and waits for the
 * end. Every call has a deadline, but for the waits for the end.
 */
export interface RunHandle {
  readonly workflowId: string;
  status(): Promise<RunStatus>;
  /** The run id of its first execution, of an agent's run that of its root: a signed message names it. Needs no worker. */
  chain(): Promise<string | undefined>;
  plan(): Promise<PlanView>;
  nodes(): AsyncIterable<NodeView>;
  /** The attempts at nodes that are under way, as the server knows them; needs no worker. */
  attempts(): Promise<readonly AttemptView[]>;
  /**
   * The workers that finished nodes, and in how many attempts, read from the histories of the run, the newest first;
   * needs no worker. Says in `missing` where an earlier history of a long run was not read or is gone.
   */
  begun(options?: BegunOptions): Promise<Begun>;
  /** When the run began and ended, as the server has it; needs no worker. */
  times(): Promise<RunTimes>;
  /** The lines that the planner's model has written so far of the plan under way; needs no worker. */
  feedback(): Promise<readonly string[]>;
  /** The run of an agent that works for this one, as `status().children` names it. */
  child(workflowId: string): RunHandle;
  /** The events and messages of the run, in order, from the entry after `after` on. */
  trace(after?: number): AsyncIterable<TraceEntry>;
  /**
   * The rounds of a run that decides step by step, in order: of each who decided, the stages visited, the decision, and how
   * the step before ended. With `last` the newest so many, with `from` those from this round on;
   * with `notes`, as `status().loop` has them, the run itself is not asked. Needs the result store of the run.
   * @throws StoreError where the store is another one
   */
  rounds(options?: RoundsOptions): Promise<readonly RoundRecord[]>;
  /** A page of it (default 200 entries, at most 1000), with the number of entries that were not kept. */
  tracePage(page?: { readonly after?: number; readonly limit?: number }): Promise<TracePage>;
  /**
   * The items that the run waits for a person to answer, and then those of the agents that work for it, each once. An
   * item names in `workflowId` the run to address.
   */
  questions(): AsyncIterable<OpenItem>;
  /**
   * Says a decision, an answer or an operator's word, and waits until the run answers. Without a worker it is left as a
   * signal, which the server keeps until one is there. The `plan` of an edit may be text, bytes or parsed JSON.
   * To say the same again is no mistake: it counts once.
   * @throws ClientError `refused` or `stale` with the run's reason, its `refusal` and, of an edit, the `issues`.
   */
  decide(decision: Decision, options?: SayOptions): Promise<Told>;
  answer(answer: Answer): Promise<Told>;
  control(control: Control): Promise<Told>;
  cancel(): Promise<void>;
  /**
   * Every view of the run from now to its end, as `planwright watch` shows them: how it stands, its nodes, the items
   * that wait for a person; the last one has its `end`. While no worker or no server answers, a view says so in
   * `trouble`.
   * @throws the reason of the signal, which ends the watch and not the run
   */
  follow(options?: RunFollowOptions): AsyncIterable<RunView>;
  /** Waits for the end, through outages of the server. `signal` ends the wait, not the run. */
  end(signal?: AbortSignal): Promise<RunEnd>;
  /**
   * Waits for the end, and reads what the plan's root came to from the result store.
   * @throws ClientError `not-done` with the reason where the run ended otherwise, `invalid-plan` where its worker refused
   * the plan; StoreError where the store is another one
   */
  result(signal?: AbortSignal): Promise<Result>;
  /** Reads the content of a handle, such as those in `end()` and of `nodes()`. */
  readResult(ref: string): Promise<Result>;
}

/**
 * The options of `RunHandle.rounds`: the rounds that are read, and in `notes` the record to read them from, as
 * `status().loop` names it.
 */
export interface RoundsOptions extends RoundRange {
  readonly notes?: string;
}

/** The options of `RunHandle.decide`: how long it waits for the run to answer. */
export interface SayOptions {
  /** Milliseconds after which the message is left with the server, as without a worker. Default and at most 5000. */
  readonly answerMs?: number;
}

/** The options of `RunHandle.follow`: how often the run is asked, and the signal that ends the watch. */
export interface RunFollowOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignal;
  /** Milliseconds between two questions to the run. Default 300. */
  readonly everyMs?: number;
}

/**
 * ISO 8601. For a run that continued as new `startedAt` is the beginning of the last history; its status has the first.
 */
export interface RunTimes {
  readonly startedAt: string;
  /** Absent while it goes on. */
  readonly endedAt?: string;
}
