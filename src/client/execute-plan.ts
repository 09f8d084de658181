/** Runs a plan in one call: starts it, waits for its end, and returns the results by step. */

import { isRecord, type PartialResult, type RunSettings } from '../protocol/index.ts';
import type { JsonValue, PlanDocument } from '../plan/index.ts';
import type { Result } from '../store/index.ts';
import { ClientError } from './client-error.ts';
import { resultOfEnd, notDone } from './run-end.ts';
import type { PlanClient } from './plan-client.ts';

/** The options of `executePlan`. */
export interface ExecutePlanOptions {
  readonly plans?: PlanClient | undefined;
  /** The tasks that the plan was made for. Every step has them as an additional input. */
  readonly tasks?: readonly JsonValue[] | undefined;
  /** The person who approves exactly this plan at once. Default: the run waits for an approval, like any run. */
  readonly approveAs?: { readonly by: string; readonly role?: string };
  /** The options of the run. `onFailure` defaults to `partial`, so that a failed step does not stop the others. */
  readonly options?: RunSettings | undefined;
  readonly workflowId?: string | undefined;
  /** If it aborts, the call rejects with its reason. The run continues. */
  readonly signal?: AbortSignal | undefined;
}

/** The value of a step: a text, any JSON, or a set of records. */
export type StepValue = JsonValue | Extract<Result, { kind: 'set' }>['set'];

/**
 * Runs a plan and resolves with `{ stepKey: value }`. Steps without a result are missing. A tree has no keys: its only
 * entry is the root's id.
 * @param plan the result of `createPlan`, or a plan document as object or text
 * @throws ClientError `no-client` without `plans`, `invalid-plan` with the issues, `not-done` if the run ends without
 * results, and the errors of the client
 * @example
 * const made = await createPlan('Compare two markets', [researcher, writer], { model });
 * const { report } = await executePlan(made, { plans, approveAs: { by: 'operator' } });
 */
export async function executePlan(
  plan: PlanDocument,
  given: ExecutePlanOptions,
): Promise<Readonly<Record<string, StepValue>>> {
  const { plans, tasks = [], approveAs, workflowId, signal } = given;
  if (plans === undefined) throw new ClientError('no-client', NO_CLIENT);
  const { document, context } = withTasks(documentOf(plan), tasks);
  const options: RunSettings = { onFailure: 'partial', ...given.options, ...contextWith(given.options, context) };
  const started = await plans.start(document, { options, ...(workflowId !== undefined && { workflowId }) });
  if (!started.ok) {
    const message = `the plan has problems and was not started: ${started.issues.map((one) => one.message).join(' ')}`;
    throw new ClientError('invalid-plan', message, { issues: started.issues });
  }
  const { run } = started;
  if (approveAs !== undefined) await run.decide({ kind: 'approve', digest: started.plan.digest, ...approveAs });
  const { result, results, missing } = resultOfEnd(run.workflowId, await run.end(signal));
  const handles = results ?? (result === undefined ? {} : { [started.plan.root]: result });
  if (Object.keys(handles).length === 0) throw notDone(run.workflowId, `no step has a result${reasonIn(missing)}`);
  const values = await Promise.all(
    Object.entries(handles).map(async ([key, { ref }]) => [key, valueOf(await run.readResult(ref))] as const),
  );
  return Object.fromEntries(values);
}

function reasonIn(missing: PartialResult['missing'] = []): string {
  const failed = missing.find(({ failure }) => failure !== undefined);
  return failed === undefined ? '' : `; ${failed.id}: ${failed.failure?.message}`;
}

const NO_CLIENT =
  'executePlan needs "plans", the way to the runs: connect with connectClient(), then give ' +
  'createPlanClient({ ...connected, store }) with the store that the workers have';

function documentOf(plan: PlanDocument): PlanDocument {
  if (isRecord(plan) && 'document' in plan) return plan['document'] as PlanDocument;
  if (!isRecord(plan) || !('nodesById' in plan)) return plan;
  throw new TypeError('executePlan takes a plan document, or what createPlan gave; this is a compiled plan alone');
}

function contextWith(options: ExecutePlanOptions['options'] = {}, more: Readonly<Record<string, unknown>> | undefined) {
  if (more === undefined) return {};
  const { context } = options;
  return { context: { ...(isRecord(context) && context), ...more } };
}

function valueOf(result: Result): StepValue {
  switch (result.kind) {
    case 'set':
      return result.set;
    case 'value':
      return result.value;
    case 'text':
      return result.text;
  }
}

/** Where a plan has the caller's tasks: a context key of a list of steps, or a field of each task's context in a tree. */
export const TASKS_KEY = 'original_tasks';

const CONTEXT_FIELDS = ['context', 'parameters', 'params'];

interface PlanWithTasks {
  readonly document: PlanDocument;
  /** External context for the run; absent if the document already contains it. */
  readonly context?: { readonly [TASKS_KEY]: readonly JsonValue[] };
}

/** Adds the tasks to a plan document. @throws TypeError if the document is a text: text is not rewritten */
export function withTasks(document: PlanDocument, tasks: readonly JsonValue[]): PlanWithTasks {
  if (tasks.length === 0) return { document };
  if (!isRecord(document))
    throw new TypeError('tasks: give the plan document as an object, so that its steps can be given them');
  const { steps } = document;
  if (Array.isArray(steps)) {
    return { document: { ...document, steps: steps.map(withInput) }, context: { [TASKS_KEY]: tasks } };
  }
  const copy = structuredClone(document);
  for (const open: unknown[] = [copy['plan'] ?? copy]; open.length > 0;) {
    const node = open.pop();
    if (!isRecord(node)) continue;
    const below = [
      node['input'],
      node['left'],
      node['right'],
      ...(Array.isArray(node['inputs']) ? node['inputs'] : []),
    ];
    open.push(...below);
    if (!('task' in node) && !('text' in node)) continue;
    const field = CONTEXT_FIELDS.find((name) => node[name] !== undefined && node[name] !== null) ?? 'context';
    node[field] = contextWithTasks(node[field], tasks);
  }
  return { document: copy };
}

function withInput(step: unknown): unknown {
  if (!isRecord(step)) return step;
  const { inputs } = step;
  // A value of another type stays unchanged, so that the compiler rejects it.
  if (inputs !== undefined && inputs !== null && !Array.isArray(inputs)) return step;
  return { ...step, inputs: [...(inputs ?? []), TASKS_KEY] };
}

function contextWithTasks(context: unknown, tasks: readonly JsonValue[]): Readonly<Record<string, unknown>> {
  if (context === undefined || context === null) return { [TASKS_KEY]: tasks };
  return isRecord(context) ? { ...context, [TASKS_KEY]: tasks } : { context, [TASKS_KEY]: tasks };
}
