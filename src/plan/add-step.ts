import { compilePlan } from './compile-plan.ts';
import { contextRefs } from './digest/index.ts';
import { IssueList, ROOT } from './issues/index.ts';
import { isPlainObject } from './plain-object.ts';
import { isAnswer, stepsDocument } from './steps/index.ts';
import type { CompileOptions, CompileResult } from './compile-plan.ts';
import type { CompiledPlan } from './compiled-plan.ts';

/**
 * Calute: add_step. Compiles the plan with one more step. The new plan has another digest, so approvals of the old one
 * do not apply. The step goes to the end, or before the respond or clarify that ends the list. Issues count the steps
 * of the longer list.
 * @example addStep(plan, { context_key: 'ranks', capability: 'rank', task_objective: 'Rank the genes', inputs: ['genes'] });
 */
export function addStep(plan: CompiledPlan, step: unknown, options: CompileOptions = {}): CompileResult {
  const document = stepsDocument(plan);
  if (document === undefined) {
    const issues = new IssueList();
    issues.add('error', 'unknown-format', ROOT, () => ({
      message: 'The plan is a tree, and only a list of steps can get another step. Write the tree anew.',
      expected: 'a list of steps',
      got: 'a tree',
    }));
    return { ok: false, issues: issues.list() };
  }
  const isEnd = isPlainObject(step) && typeof step['capability'] === 'string' && isAnswer(step['capability'].trim());
  const steps = isEnd ? [...document.steps, step] : [...document.steps.slice(0, -1), step, ...document.steps.slice(-1)];
  const contextKeys = [...(plan.external ?? []), ...(options.contextKeys ?? [])];
  const refs = { ...contextRefs(plan), ...options.contextRefs };
  return compilePlan({ ...document, steps }, { ...options, contextKeys, contextRefs: refs });
}
