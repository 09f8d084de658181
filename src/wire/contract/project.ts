/** The policy of a project, which holds for every run of it. Its workers tell it with the compiled plan. */

import type { ApprovalRule } from './rules.ts';

/** The policy that a project sets for every run, whatever the run's own options say. */
export interface ProjectPolicy {
  readonly rules?: readonly ApprovalRule[];
  /**
   * The public keys of the people who may speak, by the id of their key; messages must be signed where there are keys.
   */
  readonly keys?: PublicKeys;
  /** There is a model, so that a goal can become a plan and a plan can be revised. */
  readonly planner?: true;
  /** The search attribute that inboxes look for is registered. */
  readonly inbox: boolean;
  /** How long one history may get; only tests give another than the default. */
  readonly budget?: HistoryBudget;
}

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
}

/**
 * How long the history of one run of a chain may get, beyond what it begins with. At `soft` the run goes on in a new
 * history as soon as nothing is under way; at `hard` nothing new begins before it has.
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
