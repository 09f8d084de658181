/** The answers of a run to its queries. */

import type { Effect, JsonValue } from '../../language/plan/index.ts';
import type { Answer } from './answer.ts';
import type { Control } from './control.ts';
import type { Decision, DecisionKind } from './decision.ts';
import type { NodeFailure, NodeStatus, ResultHandle } from './nodes.ts';
import type { Outcome, Phase } from './phases.ts';
import type { PlanningStage, Usage } from './planning.ts';
import type { Refusal } from './refusal.ts';

/** The state of a run, as the query `status` tells it. */
export interface RunStatus {
  readonly phase: Phase;
  readonly outcome?: Outcome;
  /** Why it failed. */
  readonly reason?: string;
  /** For a run that a person killed: who, and why. */
  readonly by?: string;
  readonly comment?: string;
  readonly revision: number;
  readonly digest: string;
  /** When the run began, ISO 8601. A run that goes on in a new history keeps it. */
  readonly startedAt: string;
  /** While a goal becomes a plan: how far that is. */
  readonly planning?: PlanningView;
  /** Present if the run decides one step after the other. */
  readonly loop?: LoopView;
  /** Agents at work, at most 100 of them. */
  readonly children?: readonly ChildView[];
  /** The open plan is one that no model has made, since none made a valid one. */
  readonly fallback?: true;
  /** The cost of the planner's models; absent where none was asked. */
  readonly usage?: Usage;
  /** An operator has paused it: work that has begun goes on, and no other work begins. */
  readonly paused?: true;
  /**
   * Why it waits, beside people, such as `waits for the store: ENOSPC`, with what to do about it; at most 500 bytes.
   */
  readonly waits?: string;
  /** How many things wait for a person; the query `questions` tells them. */
  readonly waitingFor: number;
  /** The minutes that the plan's writer expects the run to take. */
  readonly estimatedMinutes?: number;
  readonly counts: { readonly total: number } & Readonly<Record<NodeStatus, number>>;
  /** The exact command that a person can give now. */
  readonly next?: string;
}

/** The progress of planning: the stage, and the numbers of the plan and of the model call that are under way. */
export interface PlanningView {
  readonly stage: PlanningStage;
  /** The number of the plan and of its call: at most 2 plans and 3 calls each. */
  readonly plan: number;
  readonly call: number;
  /** The fault of the last one. */
  readonly trouble?: string;
}

/** The loop of a run that decides one step after the other. */
export interface LoopView {
  readonly round: number;
  readonly maxRounds: number;
  /** The step under way; absent while the next step is decided. */
  readonly step?: string;
  /** Names what was decided and observed so far in the result store; the client's `rounds` reads it. */
  readonly notes?: string;
}

/** An agent's run that a node of this one waits for. */
export interface ChildView {
  readonly node: string;
  readonly workflowId: string;
  /** How many things wait for a person there; its own query `questions` tells them. */
  readonly waitingFor: number;
}

/** Behind a run's own open items: the run of an agent in which something waits for a person. Its query `questions` tells it. */
export interface WaitingRun {
  readonly run: string;
  readonly waitingFor: number;
}

/**
 * The number of things that wait in a run and in the agents at work for it; `questions()` of its handle tells them all.
 * A run with more than 100 agents at work tells first of those in which something waits.
 * @example countWaiting(await run.status()); // 2
 */
export function countWaiting({ waitingFor, children = [] }: Pick<RunStatus, 'waitingFor' | 'children'>): number {
  return children.reduce((sum, child) => sum + child.waitingFor, waitingFor);
}

/** The open plan of a run as text, with its digest, its revision and its place in the result store. */
export interface PlanView {
  readonly revision: number;
  readonly digest: string;
  /** The plan's reference in the result store. */
  readonly ref: string;
  readonly text: string;
  /** For a run that goes on from a closed one: which work is reused, and which is not and why. */
  readonly reuse?: string;
}

/** A node of a run: its state, its executor, and its result or failure. */
export interface NodeView {
  readonly id: string;
  readonly status: NodeStatus;
  readonly summary: string;
  /** The context key of a step, by which people name it. */
  readonly key?: string;
  readonly executor: string;
  /** The effect on the world when it is carried out. */
  readonly effect?: Effect;
  /** The cost of one execution as its capability says. */
  readonly cost?: number;
  /** Ids of the nodes whose results it takes, in order, at most 20 of them, and how many there are. */
  readonly inputs?: readonly string[];
  readonly inputCount?: number;
  readonly result?: ResultHandle;
  readonly failure?: NodeFailure;
  /**
   * For a node that could start otherwise: the reason why it waits, such as `waits for magnet-12, which node_2 writes`,
   * or a worker with the approved version.
   */
  readonly waits?: string;
  /** For a skipped node: the node whose failure caused it. */
  readonly cause?: string;
  /** For a node that a closed run had finished: which run, and when it ended there (ISO 8601). */
  readonly reusedFrom?: { readonly run: string; readonly at: string };
  /** When its activity was scheduled last, and when it ended; ISO 8601. */
  readonly scheduledAt?: string;
  readonly endedAt?: string;
}

/** One page of the nodes of a run, in the order of the plan. */
export interface NodesPage {
  readonly nodes: readonly NodeView[];
  /** Give it as `after` to read on; absent on the last page. */
  readonly next?: string;
}

export const OPEN_ITEM_KINDS = ['approval', 'question', 'uncertain', 'failed', 'fault'] as const;

/** One thing that a run waits for a person to say, with the exact message that says it. */
export interface OpenItem {
  /**
   * The id that an answer names; `approval` for the plan; a node's id for one that is to be settled; `fault` for a
   * store that is away.
   */
  readonly id: string;
  readonly kind: (typeof OPEN_ITEM_KINDS)[number];
  /** The workflow to address. */
  readonly workflowId: string;
  readonly digest: string;
  readonly revision: number;
  readonly text: string;
  /**
   * For an approval: the effect that it would let happen again, and the notes from before the plan was shown; these are
   * the first lines of `text`, too.
   */
  readonly warning?: string;
  /** For an approval: the effects that are asked for, added up, such as `3 reads, 1 at-most-once: pay (cost 10)`. */
  readonly asks?: string;
  /** ISO 8601. */
  readonly since: string;
  readonly deadline: string;
  /** The roles that it waits for; anybody's when absent. */
  readonly roles?: readonly string[];
  /** The nodes it is about, at most 20 of them, and how many there are. */
  readonly nodes: readonly string[];
  readonly nodeCount: number;
  /** Only signed messages are taken. */
  readonly signed?: true;
  readonly schema?: Readonly<Record<string, JsonValue>>;
  readonly default?: JsonValue;
  readonly suggestions?: readonly JsonValue[];
  /** The message to send, as a signal or an update, with the parts that a person must fill in written in capitals. */
  readonly send: {
    readonly name: 'approve' | 'decide' | 'answer' | 'control';
    readonly input: Readonly<Record<string, JsonValue>>;
  };
}

/**
 * A message to the run that was accepted: who, in which role, what, to which plan. The plan of an edit is not repeated.
 */
interface SaidToPlan {
  readonly by: string;
  readonly role?: string;
  readonly comment?: string;
  /** The whole digest of the plan that was open, and its revision. */
  readonly digest: string;
  readonly revision: number;
  /** Whether its sender was proved by a signature. */
  readonly verified: boolean;
}

/** An accepted decision, as the trace keeps it. The plan of an edit is not repeated. */
export interface SaidDecision extends SaidToPlan, Pick<Decision, 'nodes' | 'feedback'> {
  readonly kind: DecisionKind;
  /** For an edit whose document is in the result store: its reference. */
  readonly ref?: string;
}

/** An accepted control action, as the trace keeps it. */
export interface SaidControl extends SaidToPlan, Pick<Control, 'action' | 'node' | 'outcome'> {
  /** For `resolve` with a value: the reference of the result. */
  readonly ref?: string;
}

/** An answer. If the default was taken, `by` says so, and there is no `verified`. */
export interface SaidAnswer extends Omit<Answer, 'value'> {
  /** The reference of the answer, as a result. */
  readonly ref: string;
  readonly verified?: boolean;
}

/** A message that was refused: its own claims, as far as they were text. */
export interface SaidInVain {
  readonly refusal: Refusal;
  readonly by?: string;
  readonly role?: string;
  readonly kind?: string;
  readonly digest?: string;
  readonly question?: string;
  readonly action?: string;
  readonly node?: string;
}

/** By the kind of the entry: the message, as data. Entries of other kinds tell what the run did. */
interface SaidBy {
  readonly decision: SaidDecision;
  readonly answer: SaidAnswer;
  readonly control: SaidControl;
  readonly refused: SaidInVain;
}

export const TRACE_KINDS = [
  'planned',
  'compiled',
  'decision',
  'answer',
  'control',
  'refused',
  'asked',
  'node',
  'held',
  'closed',
] as const;

/**
 * The kind of a trace entry: a message of a person (`decision`, `answer`, `control`, `refused`), or something that the
 * run did (`planned`, `compiled`, `asked`, `node`, `held`, `closed`).
 */
export type TraceKind = (typeof TRACE_KINDS)[number];

interface EntryOf<What extends TraceKind> {
  /** Counts from 1. */
  readonly seq: number;
  /** ISO 8601: when the run heard or did it. */
  readonly at: string;
  readonly what: What;
  readonly text: string;
  readonly said?: Said<What>;
}

export type Said<What extends TraceKind = TraceKind> = What extends keyof SaidBy ? SaidBy[What] : never;

/** One entry of the audit; `what` tells which kind of thing was `said`. */
export type TraceEntry = { [What in TraceKind]: EntryOf<What> }[TraceKind];

/** One page of the trace of a run, in order. */
export interface TracePage {
  readonly entries: readonly TraceEntry[];
  /** Entries that were not kept. */
  readonly dropped: number;
  /** Give it as `after` to read on; absent on the last page. */
  readonly next?: number;
  /** These entries are in the result store, under this reference: a JSON list of entries, the last of which is `next`. */
  readonly stored?: string;
}
