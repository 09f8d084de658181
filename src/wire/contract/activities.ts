/** The requests and replies between a run and its activities. */

import type { JsonValue, PlanIssue } from '../../language/plan/index.ts';
import type { ResultHandle } from './nodes.ts';
import type { PlanSource, RunOptions } from './options.ts';
import { isRecord } from './payload.ts';
import type { ProjectPolicy, PublicKeys } from './project.ts';
import type { Asked } from './question.ts';
import type { RunSlice } from './slice.ts';

export interface CompileRequest {
  readonly source: PlanSource;
  readonly limits?: RunOptions['limits'];
  readonly context?: RunOptions['context'];
  /** The conversation whose results of earlier runs the steps of a list may name. */
  readonly conversation?: string;
  /** Reference of the revision that an edit starts from; a document that is only a root node keeps its goal. */
  readonly base?: string;
  /**
   * The names that the run's approval rules give. Refuse a rule that names an unknown capability; it would never match.
   */
  readonly ruleCapabilities?: readonly string[];
  readonly reuse?: ReuseRequest;
}

/** A closed run whose finished nodes a plan is to take over, and whether reads are left out. */
export interface ReuseRequest {
  /** The id of a closed run. */
  readonly of: string;
  readonly fresh?: true;
}

/** A slice as it travels: in the reply itself, or in pages of the result store where it is long. */
export type SentSlice = { readonly slice: RunSlice } | { readonly pages: readonly string[] };

/** With a base: the node of it that each node of a plan is, by their indexes, -1 where it is none. */
export interface SameNodes {
  /** The nodes for which everything holds that was approved, done and asked there. */
  readonly sameAs?: readonly number[];
  /**
   * For the other nodes: the plan has another form. Work that was done and questions that were asked there hold;
   * approvals do not.
   */
  readonly reformed?: readonly number[];
}

export type CompileReply =
  | (SentSlice & {
      readonly ok: true;
      readonly project: ProjectPolicy;
    } & SameNodes)
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

export interface NodeRequest {
  /** Reference of the revision that was approved: its plan, and the executor of each node. */
  readonly revision: string;
  readonly nodeId: string;
  /** References of the inputs' results, left then right. */
  readonly inputs: readonly string[];
  /** How often a person had the node repeated, at most `MAX_REPETITIONS`. Default 0. */
  readonly retry?: number;
  /** The id of this work, under which its worker asks whether an effect may begin and a model may be asked. */
  readonly work?: number;
}

/** The most repetitions of one node by hand. Each takes an idempotency key, and takes those before it away. */
export const MAX_REPETITIONS = 1000;

/** A node that asks a person has no result yet; one that was held back has not begun. */
export type NodeReply = (ResultHandle & Noted) | Asked | Held;

/** Notes of one node. */
export const MAX_NODE_NOTES = 10;

/**
 * Notes on a result: something in the node's arguments or inputs looks like a mistake. The node has its result all the
 * same.
 */
export interface Noted {
  /** At most 10 sentences of at most 500 bytes. */
  readonly notes?: readonly string[];
}

/** Work that has not begun, or that may be done again, and why; its run begins it again later. Any activity may reply it. */
export interface Held {
  readonly held: string;
  /**
   * `version`: this worker has another version than the one approved. `fault`: the store, the disk or the server is away,
   * and `held` says which. Absent where the run itself let it not begin.
   */
  readonly by?: 'version' | 'fault';
}

/** Whether this says that no work has begun: an activity can be completed from outside, with anything. */
export function isHeld(value: unknown): value is Held {
  return (
    isRecord(value) &&
    typeof value['held'] === 'string' &&
    (value['by'] === undefined || value['by'] === 'version' || value['by'] === 'fault')
  );
}

export interface AnswerRequest {
  /** Both absent for a question of the planner, whose answer is a value whatever it is. */
  readonly revision?: string;
  readonly nodeId?: string;
  /** The answer to the node's question, or the result that a person gives to a node that stayed uncertain. */
  readonly value: JsonValue;
  /** The schema of the question. */
  readonly schema?: Readonly<Record<string, JsonValue>>;
}

export type AnswerReply =
  | { readonly ok: true; readonly handle: ResultHandle }
  /** The expected value, the value that came and what to do, in at most 2000 characters. */
  | { readonly ok: false; readonly reason: string };

export interface SaveRequest {
  /** Each at most 1 MiB of UTF-8. */
  readonly pages: readonly string[];
}

export interface SaveReply {
  /** References of the pages, in order. */
  readonly refs: readonly string[];
}

export interface LoadRequest {
  readonly ref: string;
}

export interface LoadReply {
  readonly page: string;
}

export interface KeysReply {
  readonly keys: PublicKeys;
  /** The project has no identity: messages need no signature. */
  readonly unsigned?: true;
}
