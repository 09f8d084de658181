/** Compatibility with Pathfinder: its call with a root node and a goal, and its error payload. */

import { compilePlan } from './compile-plan.ts';
import { MODEL_LIMITS } from './limits.ts';
import type { CompileOptions } from './compile-plan.ts';
import type { CompiledPlan } from './compiled-plan.ts';
import type { IssueCode, PlanIssue } from './issues/index.ts';

export interface DelegationPlan extends CompiledPlan {
  readonly warnings: readonly PlanIssue[];
}

/** The details of the first problem. `operator`, `nodeType` and `contextType` describe the node that has it. */
export interface DelegationErrorDetails {
  readonly goal: string;
  /** A sentence about the first problem. `issues` has all problems. */
  readonly detail: string;
  readonly nodeId?: string;
  readonly operator?: string;
  readonly nodeType?: string;
  /** The kind of a context value that is not JSON, such as `function`. */
  readonly contextType?: string;
  readonly issues: readonly PlanIssue[];
}

/** The error payload of Pathfinder's tool. Every field of `details` is also at the top level. */
export interface DelegationError extends DelegationErrorDetails {
  readonly ok: false;
  readonly code: 'DELEGATION_PLAN_INVALID';
  readonly message: string;
  readonly details: DelegationErrorDetails;
}

/**
 * Compiles the root node of a plan that a model wrote (Pathfinder: build_delegation_plan). It never throws. Default
 * limits: `MODEL_LIMITS`.
 * @example
 * const built = buildDelegationPlan('Find targets', { type: 'task', task: 'Find genes' });
 * if ('ok' in built) console.log(built.message, built.detail);
 * else console.log(built.tasks.length, built.warnings);
 */
export function buildDelegationPlan(
  goal: string,
  plan: unknown,
  options: CompileOptions = {},
): DelegationPlan | DelegationError {
  const limits = { ...MODEL_LIMITS, ...options.limits };
  const result = compilePlan({ goal, plan }, { ...options, limits, format: 'tree' });
  if (result.ok) return { ...result.plan, warnings: result.warnings };
  const first = result.issues.find(({ severity }) => severity === 'error')!;
  const details: DelegationErrorDetails = {
    goal,
    detail: first.message,
    ...(first.nodeId !== undefined && { nodeId: first.nodeId }),
    ...writtenDetail(first),
    issues: result.issues,
  };
  return { ...details, ok: false, code: 'DELEGATION_PLAN_INVALID', message: delegationMessage(first), details };
}

const PLAN_REQUIRED = 'plan is required when delegating.';

/** Pathfinder's messages, word for word, since its callers compare them. */
const MESSAGES: Readonly<Partial<Record<IssueCode, string>>> = {
  'missing-plan': PLAN_REQUIRED,
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

function delegationMessage({ code, path }: PlanIssue): string {
  if (code === 'not-a-node' && path === '$.plan') return PLAN_REQUIRED;
  return MESSAGES[code] ?? 'Invalid delegation plan.';
}

/** The value that an issue is about. As in Pathfinder, null and absent values have no detail. */
function writtenDetail({ code, got }: PlanIssue): Partial<DelegationErrorDetails> {
  if (got === undefined || got === 'nothing') return {};
  if (code === 'unknown-operator' || code === 'ambiguous-operator') return { operator: unquoted(got) };
  if (code === 'node-type') return { nodeType: unquoted(got) };
  if (code === 'invalid-context') return { contextType: got.replace(/^an? /, '').split(' ')[0]! };
  return {};
}

function unquoted(got: string): string {
  return got.startsWith('"') ? String(JSON.parse(got)) : got;
}
