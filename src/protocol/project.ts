/** The policy of a project, which holds for every run of it, its approval rules, and the ways in which its models are asked. */

import type { Effect } from '../plan/index.ts';
import type { Budget } from './spending.ts';

/** The policy that a project sets for every run, whatever the run's own options say. */
export interface ProjectPolicy {
  readonly rules?: readonly ApprovalRule[];
  /**
   * The public keys of the people who may speak, by the id of their key; messages must be signed where there are keys.
   */
  readonly keys?: PublicKeys;
  /** There is a model, so that a goal can become a plan and a plan can be revised. */
  readonly planner?: true;
  /** How a goal is run whose starter does not say it. Default `plan-first`. */
  readonly mode?: RunMode;
  /** The search attribute that inboxes look for is registered. */
  readonly inbox: boolean;
  /** The most that any run may spend. */
  readonly spending?: Budget;
  /** How long one history may get; only tests give another than the default. */
  readonly budget?: HistoryBudget;
}

export const RUN_MODES = ['plan-first', 'reactive', 'auto'] as const;

/**
 * The way in which a goal is run: `plan-first` by a whole plan, `reactive` step by step. `auto` lets a model choose:
 * answered directly, by a plan, or step by step.
 */
export type RunMode = (typeof RUN_MODES)[number];

/** Public keys by their id (`kid`). */
export type PublicKeys = Readonly<Record<string, PublicKey>>;

/** A key that messages to a run may be signed with, and the person and roles that it speaks for. */
export interface PublicKey {
  /** The 32 bytes of an Ed25519 public key, base64url. */
  readonly x: string;
  /** The one person the key speaks for; absent for an authority, whose word on who speaks is believed. */
  readonly subject?: string;
  /** The roles the key may name. */
  readonly roles?: readonly string[];
  /** Only a person can use it: it is locked with a passphrase that is typed, or lives in a browser. */
  readonly person?: true;
}

/**
 * How long the history of one run of a chain may get, beyond what it begins with. At `soft` the run goes on in a new
 * history, for which work under way is stopped once; at `hard` however often it was stopped.
 */
export interface HistoryBudget {
  readonly soft: HistorySize;
  readonly hard: HistorySize;
}

/** The size of a workflow history, in events and in bytes. */
export interface HistorySize {
  readonly events: number;
  readonly bytes: number;
}

export const MODEL_APIS = ['responses', 'chat'] as const;

/** The protocol of a model server: OpenAI's `responses`, or its `chat` completions. */
export type ModelApi = (typeof MODEL_APIS)[number];

/**
 * The form that the server can keep a reply to: `json_schema` the schema itself; `json_object` JSON, with the schema in
 * the prompt; `none` no form, with the schema in the prompt.
 */
export const MODEL_FORMATS = ['json_schema', 'json_object', 'none'] as const;

/**
 * The form that a model server can keep a reply to: the schema (`json_schema`), any JSON (`json_object`) or none
 * (`none`). In the last two the schema stands in the prompt.
 */
export type FormatSupport = (typeof MODEL_FORMATS)[number];

/** The effects, from the lowest to the highest. */
export const EFFECTS = Object.keys({
  read: 0,
  idempotent: 1,
  'at-most-once': 2,
} satisfies Record<Effect, number>) as readonly Effect[];

/** A rule without a selector is about every node; several selectors must all fit. */
export interface ApprovalRule {
  /** Nodes with this effect or a higher one: read < idempotent < at-most-once. */
  readonly effect?: Effect;
  readonly capability?: string;
  /** Nodes whose capability declares at least this cost. */
  readonly minCost?: number;
  /** The roles whose approval counts; anybody's when absent. */
  readonly roles?: readonly string[];
  /** How many different people must approve. Default 1. */
  readonly count?: number;
  /** Only what was signed with a key that is marked as a person's counts. */
  readonly person?: true;
  /** The word of the one who started the run, and of those who edited its plan, does not count; its start must be signed. */
  readonly notStarter?: true;
}

/**
 * The nodes that need an approval: `required` asks about every node, `effects` about every node above read, rules as
 * they say.
 */
export type ApprovalPolicy = 'required' | 'effects' | { readonly rules: readonly ApprovalRule[] };

/** A build of a deployment: `{ name: 'booking', build: '2026-08-01' }`. */
export interface Deployment {
  /** The same for all builds. Without `.` and `:`, at most 200 characters, as `build`; neither begins with `__`. */
  readonly name: string;
  /** Another one for each release: what differs from it in anything must not have its name. */
  readonly build: string;
}
