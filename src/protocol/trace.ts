/** The audit of a run: what was said to it and what it did, as the query `trace` tells it. */

import type { Answer } from './question.ts';
import type { Control } from './control.ts';
import type { Decision, DecisionKind } from './decision.ts';
import type { Refusal } from './refusal.ts';

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
  /** With a person's key. */
  readonly personKey?: true;
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
