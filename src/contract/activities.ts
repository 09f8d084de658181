/** What a run and its activities say to each other: requests and replies. */

import type { JsonValue, PlanIssue } from '../plan/index.ts';
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
  /** The names that the run's approval rules give; a rule about a capability that is not there would guard nothing. */
  readonly ruleCapabilities?: readonly string[];
}

/** A slice as it travels: in the reply itself, or in pages of the result store where it is long. */
export type SentSlice = { readonly slice: RunSlice } | { readonly pages: readonly string[] };

export type CompileReply =
  | (SentSlice & {
      readonly ok: true;
      /** With a `base`: for each node the index of the base's node that it is, or -1. */
      readonly sameAs?: readonly number[];
      readonly project: ProjectPolicy;
    })
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

export interface NodeRequest {
  /** Reference of the revision that was approved: its plan, and what carries each node out. */
  readonly revision: string;
  readonly nodeId: string;
  /** References of the inputs' results, left then right. */
  readonly inputs: readonly string[];
  /** How often a person had the node repeated. Default 0. */
  readonly retry?: number;
  /** Of a node with an effect above read: the id of this work, under which its worker asks whether it may begin. */
  readonly work?: number;
}

/** A node that asks a person has no result yet; one that was held back has not begun. */
export type NodeReply = (ResultHandle & Noted) | Asked | Held;

/** Notes of one node. */
export const MAX_NODE_NOTES = 10;

/** What looks like a mistake in what the node was given; it has its result all the same. */
export interface Noted {
  /** At most 10 sentences of at most 500 bytes. */
  readonly notes?: readonly string[];
}

/** The effect has not begun, since it may not now. */
export interface Held {
  readonly held: string;
}

/** Whether this says that nothing has begun: an activity can be completed from outside, with anything. */
export function isHeld(value: unknown): value is Held {
  return isRecord(value) && typeof value['held'] === 'string';
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
  /** What was expected, what came and what to do, in at most 2000 characters. */
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
