/** The options of a run in their complete form, its durations, and its input. */

import type { ApprovalPolicy, RunMode } from './project.ts';
import { problemOf, type Check, type Of } from './shape.ts';
import type { Budget } from './spending.ts';

export const ON_FAILURE = ['fail', 'partial', 'ask', 'replan'] as const;

/**
 * What a run does if its root gets no result. `fail`: it fails. `partial`: it ends with the existing results. `ask`: a
 * failed node waits for a person to retry, skip or resolve it. `replan`: the planner makes another plan after a failure
 * that another plan may avoid (`REPLANNING`, `RECLASSIFICATION`, `NotApplied`).
 */
export type OnFailure = (typeof ON_FAILURE)[number];

/**
 * The lane in which the reads and set operators of a plan go. `visible`: each in an activity of its own. `parts`: many in one activity.
 * `auto`: visible up to 1,000 nodes of a plan, parts above.
 */
export const LANES = ['auto', 'visible', 'parts'] as const;
export type Lane = (typeof LANES)[number];

/** The complete options of a run. Deadlines are in milliseconds. */
export interface RunOptions {
  readonly mode: RunMode;
  /** `required`: every node waits for an approval. `effects`: only nodes with an effect above read do. */
  readonly approval: ApprovalPolicy;
  readonly approvalDeadlineMs: number;
  /** How long a question, an uncertain node and, under `ask`, a failed one wait for a person. */
  readonly answerDeadlineMs: number;
  /** The rejection that ends the run; after earlier ones the run waits for an edit. */
  readonly maxRejections: number;
  /** Plans that the run may have one after another. */
  readonly maxRevisions: number;
  readonly onFailure: OnFailure;
  /** The most steps of a run in mode `reactive`; failed and rejected ones count. */
  readonly maxRounds: number;
  /** Nodes in flight at once. */
  readonly concurrency: number;
  /** Default `auto`. */
  readonly lane?: Lane;
  /** Its spending limit, and what happens at the limit. If the project has a budget too, the lower limit counts. */
  readonly budget?: Budget;
  readonly limits?: { readonly depth?: number; readonly nodes?: number };
  /** External context that the steps of a list may name among their inputs: any JSON, by its context key. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** The conversation: the planner reads its history, steps may name its results, and the run's results go into it. */
  readonly conversation?: string;
  /** The closed run whose finished nodes this one takes over, as far as its plan has the same. */
  readonly reuse?: string;
  /** With `reuse`: reads are carried out again. */
  readonly fresh?: true;
}

export const DEFAULT_OPTIONS: RunOptions = {
  mode: 'plan-first',
  approval: 'required',
  /**
   * @bound [approving] `approvalDeadline`, by default
   * @beyond the run ends as `expired`
   */
  approvalDeadlineMs: 24 * 3_600_000,
  /**
   * @bound [approving] `answerDeadline`, by default
   * @beyond the question's default counts; without one its node fails. Unsettled nodes stay failed or uncertain
   */
  answerDeadlineMs: 24 * 3_600_000,
  /**
   * @bound [approving] `maxRejections`, by default
   * @beyond the run ends as `rejected`
   */
  maxRejections: 1,
  /**
   * @bound [approving] `maxRevisions`, by default
   * @beyond an edit is `too-many-revisions`
   */
  maxRevisions: 20,
  onFailure: 'fail',
  maxRounds: 100,
  /**
   * @bound `concurrency`, by default
   * @beyond nodes that are ready wait
   */
  concurrency: 100,
};

/** The `options` of a run as the caller gives them. Defaults: `DEFAULT_OPTIONS`. */
export interface RunSettings extends Partial<Omit<RunOptions, 'approvalDeadlineMs' | 'answerDeadlineMs'>> {
  /** The time in which somebody must have decided a plan, from when it opened. Default 24 h. */
  readonly approvalDeadline?: Duration;
  /** How long a question, an uncertain node and, under `ask`, a failed one wait for a person. Default 24 h. */
  readonly answerDeadline?: Duration;
}

/** A plan as the caller gave it: in the input, or by reference into the result store. */
export type PlanSource = { readonly document: unknown } | { readonly ref: string };

/** The source of a run: a plan, or a goal that is to become one. */
export type RunSource = PlanSource | { readonly goal: string };

export const SIGNED_START = {
  /** The compact JWS that came as the run's input. */
  token: 'text',
  /** The run that it started: this one, or the parent of this agent. */
  run: 'text',
  /** When that began, ISO 8601. */
  at: 'time',
} as const;

/** The signed start of a run. */
export interface SignedStart extends Of<typeof SIGNED_START> {}

type Unit = 'ms' | 's' | 'm' | 'h' | 'd';

/** Milliseconds, or amounts with their units: `"24h"`, `"1h30m"`, `"500ms"`. From 1 ms to a year. */
export type Duration = number | `${number}${Unit}` | `${number}${Unit}${number}${Unit}`;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/**
 * A longer wait must be a mistake.
 * @bound [approving] any duration
 * @beyond rejected
 */
const MAX_MS = 365 * 86_400_000;

/** Milliseconds, 1 to a year; undefined if the value is not such a duration. */
export function durationMs(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? parse(value.trim().toLowerCase()) : value;
  return typeof ms === 'number' && ms >= 1 && ms <= MAX_MS ? Math.round(ms) : undefined;
}

/** Milliseconds as another process sends them. A wait without a bound would be no date that a run can reckon with. */
export const WAIT: Check<number> = (value, path) =>
  problemOf('number', value, path) ??
  (durationMs(value) === undefined ? `${path}: expected 1 ms to a year` : undefined);

function parse(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  return total;
}
