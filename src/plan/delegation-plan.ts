import { compilePlan } from './compile-plan.ts';
import type { CompileOptions } from './compile-plan.ts';
import type { CompiledPlan } from './compiled-plan.ts';
import type { IssueCode, PlanIssue } from './issues/index.ts';

/** Pathfinder: the payload of a tool error. */
export interface DelegationError {
  readonly ok: false;
  readonly code: 'DELEGATION_PLAN_INVALID';
  readonly message: string;
  readonly details: {
    readonly goal: string;
    /** The first problem in a sentence; all of them are in `issues`. */
    readonly detail: string;
    readonly nodeId?: string;
    readonly issues: readonly PlanIssue[];
  };
}

/** Pathfinder: build_delegation_plan. The plan of a root node, or what is wrong with it; never throws. */
export function buildDelegationPlan(
  goal: string,
  plan: unknown,
  options: CompileOptions = {},
): CompiledPlan | DelegationError {
  const result = compilePlan({ goal, plan }, { ...options, format: 'tree' });
  if (result.ok) return result.plan;
  const first = result.issues.find(({ severity }) => severity === 'error')!;
  const nodeId = first.nodeId === undefined ? {} : { nodeId: first.nodeId };
  const details = { goal, detail: first.message, ...nodeId, issues: result.issues };
  return { ok: false, code: 'DELEGATION_PLAN_INVALID', message: messageOf(first), details };
}

/** The sentences of Pathfinder, which its callers know. */
const MESSAGES: { readonly [Code in IssueCode]?: string } = {
  'missing-plan': 'plan is required when delegating.',
  'not-a-node': 'Invalid plan node.',
  'id-only': 'Invalid plan node.',
  'unknown-operator': 'Invalid combine operator.',
  'ambiguous-operator': 'Invalid combine operator.',
  'missing-operand': 'Invalid combine inputs.',
  'too-many-operands': 'Invalid combine inputs.',
  'missing-task': 'Invalid task node.',
  'invalid-task': 'Invalid task node.',
  'invalid-context': 'Invalid task context.',
  'node-type': 'Invalid node type.',
};

function messageOf({ code, path }: PlanIssue): string {
  if (code === 'not-a-node' && path === '$.plan') return 'plan is required when delegating.';
  return MESSAGES[code] ?? 'Invalid delegation plan.';
}
