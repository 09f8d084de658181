/** A plan document whose steps are all given the tasks that it was made for. */

import { isRecord } from '../protocol/index.ts';
import type { JsonValue, PlanDocument } from '../plan/index.ts';

/** Under which the tasks stand: a key of external context for a list of steps, a field of its context for a task of a tree. */
export const TASKS_KEY = 'original_tasks';

/** Pathfinder: aliases: of these the first with a value is the context. */
const CONTEXT_FIELDS = ['context', 'parameters', 'params'];

interface Given {
  readonly document: PlanDocument;
  /** External context that the run is given; absent where the document holds it itself. */
  readonly context?: { readonly [TASKS_KEY]: readonly JsonValue[] };
}

/**
 * Without tasks the document stays as it is.
 * @throws TypeError where there are some and the document is no object, since text is not rewritten
 */
export function withTasks(document: PlanDocument, tasks: readonly JsonValue[]): Given {
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
    node[field] = contextWith(node[field], tasks);
  }
  return { document: copy };
}

function withInput(step: unknown): unknown {
  if (!isRecord(step)) return step;
  const { inputs } = step;
  // A value that is no list is left for the compiler to refuse.
  if (inputs !== undefined && inputs !== null && !Array.isArray(inputs)) return step;
  return { ...step, inputs: [...(inputs ?? []), TASKS_KEY] };
}

function contextWith(context: unknown, tasks: readonly JsonValue[]): Readonly<Record<string, unknown>> {
  if (context === undefined || context === null) return { [TASKS_KEY]: tasks };
  return isRecord(context) ? { ...context, [TASKS_KEY]: tasks } : { context, [TASKS_KEY]: tasks };
}
