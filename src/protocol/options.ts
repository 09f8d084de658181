import type { ApprovalPolicy, RunMode } from './project.ts';
import { problemOf, type Check, type Of } from './shape.ts';
import type { Budget } from './spending.ts';

export const ON_FAILURE = ['fail', 'partial', 'ask', 'replan'] as const;

/**
 * What a run does if its root has no result. `fail`: the run fails. `partial`: it ends with the results that exist.
 * `ask`: a failed node waits until a person retries, skips or resolves it. `replan`: the planner makes another plan if
 * the failure is one that another plan may avoid (`REPLANNING`, `RECLASSIFICATION`, `NotApplied`).
 */
export type OnFailure = (typeof ON_FAILURE)[number];

/**
 * How a run executes the reads and set operators of a plan. `visible`: each in its own activity. `parts`: many in one
 * activity. `auto`: `visible` for plans of up to 1,000 nodes, otherwise `parts`.
 */
export const LANES = ['auto', 'visible', 'parts'] as const;
export type Lane = (typeof LANES)[number];

/** The complete options of a run. Deadlines are in milliseconds. */
export interface RunOptions {
  readonly mode: RunMode;
  /** `required`: every node waits for an approval. `effects`: only nodes with an effect wait; reads do not. */
  readonly approval: ApprovalPolicy;
  readonly approvalDeadlineMs: number;
  /** How long a question, an uncertain node and, under `ask`, a failed node wait for a person. */
  readonly answerDeadlineMs: number;
  /** The number of rejections that ends the run. After each earlier rejection, the run waits for an edit. */
  readonly maxRejections: number;
  readonly maxRevisions: number;
  readonly onFailure: OnFailure;
  /** Maximum number of steps of a run in mode `reactive`. Failed and rejected steps count. */
  readonly maxRounds: number;
  /** Maximum number of nodes that execute at the same time. */
  readonly concurrency: number;
  readonly lane?: Lane;
  /** The run's spending limit, and what happens then. If the project has a budget too, the lower one counts. */
  readonly budget?: Budget;
  readonly limits?: { readonly depth?: number; readonly nodes?: number };
  /** External data that the steps of a list may use as inputs: any JSON, by context key. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** The run's conversation: the planner reads it, steps may use its results, and the run adds its own. */
  readonly conversation?: string;
  /** The workflow id of a closed run. This run reuses the results of all finished nodes that are in both plans. */
  readonly reuse?: string;
  readonly fresh?: true;
}

export const DEFAULT_OPTIONS: RunOptions = {
  mode: 'plan-first',
  approval: 'required',
  /** @bound [approving] `approvalDeadline`, by default @beyond the run ends as `expired` */
  approvalDeadlineMs: 24 * 3_600_000,
  /**
   * @bound [approving] `answerDeadline`, by default @beyond the question gets its default answer; without a default its
   * node fails. A failed or uncertain node stays as it is
   */
  answerDeadlineMs: 24 * 3_600_000,
  /** @bound [approving] `maxRejections`, by default @beyond the run ends as `rejected` */
  maxRejections: 1,
  /** @bound [approving] `maxRevisions`, by default @beyond an edit is rejected as `too-many-revisions` */
  maxRevisions: 20,
  onFailure: 'fail',
  maxRounds: 100,
  /** @bound `concurrency`, by default @beyond further ready nodes wait */
  concurrency: 100,
};

/** The `options` of a run as the caller writes them. Defaults: `DEFAULT_OPTIONS`. */
export interface RunSettings extends Partial<Omit<RunOptions, 'approvalDeadlineMs' | 'answerDeadlineMs'>> {
  /** How long a plan waits for its decision after it opens. Default 24 h. */
  readonly approvalDeadline?: Duration;
  /** How long a question, an uncertain node and, under `ask`, a failed node wait for a person. Default 24 h. */
  readonly answerDeadline?: Duration;
}

export type PlanSource = { readonly document: unknown } | { readonly ref: string };

/** What a run starts from: a plan, or a goal for which the planner makes one. */
export type RunSource = PlanSource | { readonly goal: string };

export const SIGNED_START = {
  /** The compact JWS that was the input of the run. */
  token: 'text',
  /** The workflow id of the run that the token started: this run, or the root of this agent. */
  run: 'text',
  /** When that run began, ISO 8601. */
  at: 'time',
} as const;

export interface SignedStart extends Of<typeof SIGNED_START> {}

type Unit = 'ms' | 's' | 'm' | 'h' | 'd';

/** A duration up to a year: milliseconds, or amounts with units, such as `"24h"`, `"1h30m"` or `"500ms"`. */
export type Duration = number | `${number}${Unit}` | `${number}${Unit}${number}${Unit}`;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** Maximum of any duration. A longer one must be a mistake. */
const MAX_MS = 365 * 86_400_000;

/** Parses a duration. Returns milliseconds from 1 to a year, or undefined if the value is not a valid duration. */
export function durationMs(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? parse(value.trim().toLowerCase()) : value;
  return typeof ms === 'number' && ms >= 1 && ms <= MAX_MS ? Math.round(ms) : undefined;
}

/** Milliseconds from another process, from 1 to a year. With a larger number the run could not compute a date. */
export const WAIT: Check<number> = (value, path) =>
  problemOf('number', value, path) ??
  (durationMs(value) === undefined ? `${path}: expected 1 ms to a year` : undefined);

function parse(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN);
  return total;
}
