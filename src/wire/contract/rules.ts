/** Approval rules, as data: they name nodes by what they do, and how many people of which role each needs. */

import type { Effect } from '../../language/plan/index.ts';

/** The effects, from the lowest to the highest. */
export const EFFECTS: readonly Effect[] = ['read', 'idempotent', 'at-most-once'];

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
}

/**
 * The nodes that need an approval: `required` asks about every node, `effects` about every node above read, rules as
 * they say.
 */
export type ApprovalPolicy = 'required' | 'effects' | { readonly rules: readonly ApprovalRule[] };
