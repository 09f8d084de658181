import type { Effect } from '../plan/index.ts';
import { eachOf, maybe, oneOf, problemOf, typed, type Check, type Of } from './shape.ts';
import { BUDGET, type Budget } from './spending.ts';

export const RUN_MODES = ['plan-first', 'reactive', 'auto'] as const;

/** How a goal is run: by a whole plan, step by step (`reactive`), or as a model chooses (`auto`). */
export type RunMode = (typeof RUN_MODES)[number];

export const MODEL_APIS = ['responses', 'chat'] as const;

/** The protocol of a model server: OpenAI's `responses`, or its `chat` completions. */
export type ModelApi = (typeof MODEL_APIS)[number];

export const MODEL_FORMATS = ['json_schema', 'json_object', 'none'] as const;

/** What a model server can enforce in a reply: the schema (otherwise the prompt has it), any JSON, or nothing. */
export type FormatSupport = (typeof MODEL_FORMATS)[number];

/** The kinds of effect, from the weakest to the strongest. */
export const EFFECTS = Object.keys({
  read: 0,
  idempotent: 1,
  'at-most-once': 2,
} satisfies Record<Effect, number>) as readonly Effect[];

export const APPROVAL_RULE = {
  /** Applies to nodes with this effect or a stronger one: read < idempotent < at-most-once. */
  effect: maybe(oneOf(EFFECTS)),
  capability: 'name?',
  /**
   * Only nodes that untrusted values reach. Without `effect` and `capability`, only the nodes among them with an
   * effect.
   */
  untrusted: 'true?',
  minCost: 'number?',
  /** Applies to nodes with a cost, if all matching nodes cost at least this in total; in a loop, over all steps. */
  minTotalCost: 'number?',
  /** The roles whose approvals count. If absent, all approvals count. */
  roles: maybe(['name']),
  /** How many different people must approve. Default 1. */
  count: 'count?',
  /** Only approvals with a key that is marked as a person's count. */
  person: 'true?',
  /** Approvals of the plan's authors (starter and editors) do not count, and the start must be signed. */
  notStarter: 'true?',
} as const;

/** A rule for approvals. Without a selector it applies to every node. If it has several, all must match. */
export interface ApprovalRule extends Of<typeof APPROVAL_RULE> {}

/** Which nodes need an approval: every node, every node with an effect, or those that the rules select. */
export type ApprovalPolicy = 'required' | 'effects' | { readonly rules: readonly ApprovalRule[] };

export const APPROVAL: Check<ApprovalPolicy> = (value, path) =>
  value === 'required' || value === 'effects'
    ? undefined
    : problemOf({ rules: [typed<ApprovalRule>(APPROVAL_RULE)] }, value, path);

const PUBLIC_KEY = {
  x: 'name',
  /** The only person for whom the key signs. Default: the key is an authority that may name any sender. */
  subject: 'name?',
  /** The roles that the key may claim. */
  roles: maybe(['name']),
  /** Only a person can use the key: it needs a typed passphrase or is in a browser. */
  person: 'true?',
} as const;

/** A key that may sign messages to a run, with the person and the roles that it may claim. */
export interface PublicKey extends Of<typeof PUBLIC_KEY> {}

export const KEYS = eachOf(typed<PublicKey>(PUBLIC_KEY));
/** Public keys by their id (`kid`). */
export type PublicKeys = Of<typeof KEYS>;

const SIZE = { events: 'amount', bytes: 'amount' } as const;
export interface HistorySize extends Of<typeof SIZE> {}

const HISTORY = { soft: typed<HistorySize>(SIZE), hard: typed<HistorySize>(SIZE) } as const;
/** Limits of a run's history. At `soft` an idle run moves to a new history. At `hard` nothing starts until then. */
export interface HistoryBudget extends Of<typeof HISTORY> {}

export const PROJECT = {
  rules: maybe([typed<ApprovalRule>(APPROVAL_RULE)]),
  /** The public keys of people, by key id. If there are any, messages must be signed. */
  keys: maybe(KEYS),
  /** Set if the project has a model that can turn a goal into a plan and revise a plan. */
  planner: 'true?',
  /** The mode of a goal if its starter chose none. Default `plan-first`. */
  mode: maybe(oneOf(RUN_MODES)),
  inbox: 'flag',
  spending: maybe(typed<Budget>(BUDGET)),
  /** Set if the project's workers sign a receipt of each run. */
  receipts: 'true?',
  budget: maybe(typed<HistoryBudget>(HISTORY)),
} as const;

/** The policy of a project for every run. The options of a run cannot weaken it. */
export interface ProjectPolicy extends Of<typeof PROJECT> {}

/** A build of a deployment, such as `{ name: 'booking', build: '2026-08-01' }`. */
export interface Deployment {
  /** The same for all builds. At most 200 characters, no `.` or `:`, and no `__` at the start. */
  readonly name: string;
  /** A new name for each release, of at most 200 characters and no `__` at its start. Other builds, other names. */
  readonly build: string;
}
