/** The policy of a project for all its runs, its approval rules, and how its models are called. */

import type { Effect } from '../plan/index.ts';
import { eachOf, maybe, oneOf, typed, type Of } from './shape.ts';
import { BUDGET, type Budget } from './spending.ts';

export const RUN_MODES = ['plan-first', 'reactive', 'auto'] as const;

/**
 * The way in which a goal is run: `plan-first` by a whole plan, `reactive` step by step. `auto` lets a model choose:
 * answered directly, by a plan, or step by step.
 */
export type RunMode = (typeof RUN_MODES)[number];

export const MODEL_APIS = ['responses', 'chat'] as const;

/** The protocol of a model server: OpenAI's `responses`, or its `chat` completions. */
export type ModelApi = (typeof MODEL_APIS)[number];

/**
 * The form that the server can keep a reply to: `json_schema` the schema itself; `json_object` JSON, with the schema in
 * the prompt; `none` no form, with the schema in the prompt.
 */
export const MODEL_FORMATS = ['json_schema', 'json_object', 'none'] as const;

/**
 * What a model server can enforce in a reply: the schema (`json_schema`), any JSON (`json_object`) or nothing (`none`).
 * In the last two the schema is in the prompt.
 */
export type FormatSupport = (typeof MODEL_FORMATS)[number];

/** The effects, from the lowest to the highest. */
export const EFFECTS = Object.keys({
  read: 0,
  idempotent: 1,
  'at-most-once': 2,
} satisfies Record<Effect, number>) as readonly Effect[];

export const APPROVAL_RULE = {
  /** Nodes with this effect or a higher one: read < idempotent < at-most-once. */
  effect: maybe(oneOf(EFFECTS)),
  capability: 'name?',
  /** Nodes whose capability declares at least this cost. */
  minCost: 'number?',
  /**
   * Nodes with a cost, if the costs of the nodes that fit the other selectors come to this. In a loop the earlier steps
   * count.
   */
  minTotalCost: 'number?',
  /** The roles whose approval counts; anybody's when absent. */
  roles: maybe(['name']),
  /** How many different people must approve. Default 1. */
  count: 'count?',
  /** Only what was signed with a key that is marked as a person's counts. */
  person: 'true?',
  /** Approvals of the starter and of editors of the plan do not count; the start must be signed. */
  notStarter: 'true?',
} as const;

/** A rule without a selector is about every node; several selectors must all fit. */
export interface ApprovalRule extends Of<typeof APPROVAL_RULE> {}

/**
 * The nodes that need an approval: `required` means every node, `effects` every node above read, otherwise by the
 * rules.
 */
export type ApprovalPolicy = 'required' | 'effects' | { readonly rules: readonly ApprovalRule[] };

const PUBLIC_KEY = {
  /** The 32 bytes of an Ed25519 public key, base64url. */
  x: 'name',
  /** The only person for whom the key signs; absent for an authority: the sender that it names is believed. */
  subject: 'name?',
  /** The roles the key may name. */
  roles: maybe(['name']),
  /** Only a person can use it: it is locked with a passphrase that is typed, or lives in a browser. */
  person: 'true?',
} as const;

/** A key that messages to a run may be signed with, and the person and roles that it speaks for. */
export interface PublicKey extends Of<typeof PUBLIC_KEY> {}

export const KEYS = eachOf(typed<PublicKey>(PUBLIC_KEY));
/** Public keys by their id (`kid`). */
export type PublicKeys = Of<typeof KEYS>;

const SIZE = { events: 'amount', bytes: 'amount' } as const;
/** The size of a workflow history, in events and in bytes. */
export interface HistorySize extends Of<typeof SIZE> {}

const HISTORY = { soft: typed<HistorySize>(SIZE), hard: typed<HistorySize>(SIZE) } as const;
/**
 * The size of a run's history beyond its start. At `soft` the run continues in a new history as soon as nothing is
 * under way; at `hard` nothing new begins before that.
 */
export interface HistoryBudget extends Of<typeof HISTORY> {}

export const PROJECT = {
  rules: maybe([typed<ApprovalRule>(APPROVAL_RULE)]),
  /** The public keys of people, by key id. With keys, messages must be signed. */
  keys: maybe(KEYS),
  /** There is a model, so that a goal can become a plan and a plan can be revised. */
  planner: 'true?',
  /** The mode of a goal whose starter chose none. Default `plan-first`. */
  mode: maybe(oneOf(RUN_MODES)),
  /** The search attribute that inboxes look for is registered. */
  inbox: 'flag',
  /** The most that any run may spend. */
  spending: maybe(typed<Budget>(BUDGET)),
  /** How long one history may get; only tests give another than the default. */
  budget: maybe(typed<HistoryBudget>(HISTORY)),
} as const;

/** The policy of a project for every run, whatever the run's options are. */
export interface ProjectPolicy extends Of<typeof PROJECT> {}

/** A build of a deployment: `{ name: 'booking', build: '2026-08-01' }`. */
export interface Deployment {
  /** The same for all builds. Without `.` and `:`, at most 200 characters, as `build`; neither begins with `__`. */
  readonly name: string;
  /** Another one for each release: what differs from it in anything must not have its name. */
  readonly build: string;
}
