import { checkExecutors } from './check-executors.ts';
import { withMeaning, contextRefs } from './digest/index.ts';
import { IssueList, ROOT, below, type PlanIssue } from './issues/index.ts';
import { MODEL_LIMITS } from './limits.ts';
import { newReading } from './plan-reading.ts';
import {
  isAnswer,
  readStep,
  resolveReferences,
  type NamedStep,
  type StepDraft,
  type StepInputs,
  stepsDocument,
} from './steps/index.ts';
import type { Catalogue, Executor } from './catalogue.ts';
import type { TaskNode, CompiledPlan } from './compiled-plan.ts';
import { compilePlan, type CompileOptions, type CompileResult } from './compile-plan.ts';
import { isPlainObject } from './plain-object.ts';

/** The keys of the results to which a step may refer. */
export interface AvailableResults {
  /** The keys of the steps so far, in order. `result_from_step_2` is the second step, unless a step has the key "2". */
  readonly steps: readonly string[];
  readonly external?: readonly string[];
}

/** A valid step: a task that is not yet part of a plan. */
export type ValidStep = Omit<TaskNode, 'id' | 'key' | 'kind' | 'dependsOn'> & {
  readonly contextKey: string;
  /** The keys of the steps whose results this step takes, in order. */
  readonly inputs: readonly string[];
};

/** A valid step with its warnings, or all issues of an invalid step. */
export type StepValidation =
  | {
      readonly ok: true;
      readonly step: ValidStep;
      readonly executor?: Executor;
      readonly warnings: readonly PlanIssue[];
    }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/**
 * Checks one parsed step like a step of a list (Osprey: validate_single_step): its fields, its names and, with a
 * catalogue, its executor and arguments. A respond or clarify takes all results. Paths begin at the step. It never
 * throws on a value from JSON.parse.
 * @example
 * const step = { context_key: 'ranks', capability: 'rank', task_objective: 'Rank the genes', inputs: ['genes'] };
 * validateStep(step, { steps: ['genes'] }); // { ok: true, step: { contextKey: 'ranks', inputs: ['genes'], ... }, ... }
 */
export function validateStep(value: unknown, available: AvailableResults, catalogue?: Catalogue): StepValidation {
  const issues = new IssueList();
  const reading = newReading(issues, MODEL_LIMITS, [...available.steps, ...(available.external ?? [])]);
  const draft = readStep(value, ROOT, available.steps.length + 1, reading);
  if (draft === undefined) return { ok: false, issues: issues.list() };
  draft.takesAll = isAnswer(draft.capability);
  const earlier = available.steps.map((contextKey): NamedStep => ({
    contextKey,
    place: below(ROOT, contextKey),
    references: [],
    takesAll: false,
  }));
  const inputs = resolveReferences(
    [...earlier, draft],
    new Map(available.external?.map((key) => [key, undefined])),
    reading,
  ).at(-1)!;
  const executor = checkExecutors([draft], catalogue === undefined ? {} : { catalogue }, issues).get(draft);
  if (issues.errors > 0) return { ok: false, issues: issues.list() };
  const step = validStep(draft, inputs, available);
  return { ok: true, step, warnings: issues.list(), ...(executor !== undefined && { executor }) };
}

function validStep(draft: StepDraft, { dependsOn, ...named }: StepInputs, { steps }: AvailableResults): ValidStep {
  const { contextKey } = draft;
  return { contextKey, inputs: dependsOn.map((index) => steps[index]!), ...withMeaning({}, draft, named) };
}

/**
 * Compiles a plan with one more step (Calute: add_step), at the end or before the final respond or clarify. The new
 * plan has another digest, so approvals of the old plan do not apply. Issues count the steps of the longer list.
 * @example addStep(plan, { context_key: 'ranks', capability: 'rank', task_objective: 'Rank the genes', inputs: ['genes'] });
 */
export function addStep(plan: CompiledPlan, step: unknown, options: CompileOptions = {}): CompileResult {
  const document = stepsDocument(plan);
  if (document === undefined) {
    const issues = new IssueList();
    issues.add('error', 'unknown-format', ROOT, () => ({
      message: 'The plan is a tree, and only a list of steps can get another step. Write the whole tree again.',
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
