/** A case out of a plan that a person took: its planner is expected to make one that means the same. */

import {
  compilePlan,
  MODEL_LIMITS,
  planDocument,
  type CompiledPlan,
  type JsonValue,
  type PlanIssue,
} from '../../plan/index.ts';
import type { EvalCase } from './case.ts';
import { LIMITS } from './limits.ts';
import { sameMeaning } from './meaning.ts';

const NO_NAME = /[^\w.-]+/g;

/**
 * @param name every run of characters that a name has not becomes one `-`
 * @param answers to the questions of its planner
 * @returns the case, or why there can be none
 */
export function caseOfPlan(name: string, plan: CompiledPlan, answers: readonly JsonValue[]): EvalCase | string {
  const { goal, external: contextKeys = [] } = plan;
  const document = planDocument(plan);
  if (document === undefined) return 'written out as a tree it is too large';
  const read = compilePlan(document, { contextKeys, limits: MODEL_LIMITS });
  if (!read.ok) return unwritten(read.issues);
  if (sameMeaning(plan, read.plan) !== undefined) return 'written as a document it means another thing';
  return {
    name: name.replaceAll(NO_NAME, '-').slice(0, LIMITS.name),
    goal,
    // Only keys are told to a planner, and a value may be secret.
    ...(contextKeys.length > 0 && { context: Object.fromEntries(contextKeys.map((key) => [key, null])) }),
    ...(answers.length > 0 && { answers }),
    expect: { sameAs: document as Readonly<Record<string, JsonValue>> },
  } as EvalCase;
}

function unwritten([issue]: readonly PlanIssue[]): string {
  return `it is no plan that a model may write: ${issue?.path} ${issue?.message}`;
}
