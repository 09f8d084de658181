/** Plans in code for a project: the names of its capabilities and the shapes of their arguments are known to the type checker. */

import type { z } from 'zod';
import { plan, type TaskDetails, type TreeTask } from '../plan/index.ts';
import type { ResultKind } from '../protocol/index.ts';
import type { Capability } from './capability.ts';

/**
 * The functions of `plan`, with tasks that only these capabilities can carry out, or an agent, or the project's
 * default.
 */
export interface PlanBuilder<Known extends readonly Capability[]> extends Omit<typeof plan, 'task'> {
  task(text: string, details?: UnnamedTask): TreeTask;
  // Last: of two overloads that fit neither, tsc explains the last.
  task(text: string, details: TaskOf<Known[number]>): TreeTask;
}

/** A task with its capability and the arguments that this one takes, before their defaults are filled in. */
export type TaskOf<Known> =
  Known extends Capability<infer Input, ResultKind, infer Name>
    ? Omit<TaskDetails, 'capability' | 'arguments' | 'agent'> & { readonly capability: Name } & ArgumentsOf<
          z.input<Input>
        >
    : never;

/** A task that names no capability. */
export type UnnamedTask = Omit<TaskDetails, 'capability' | 'arguments'> & { readonly capability?: never };

/** The `arguments` of a task; if all of them may be left out, so may the field. */
type ArgumentsOf<Arguments> =
  Partial<Arguments> extends Arguments ? { readonly arguments?: Arguments } : { readonly arguments: Arguments };

/**
 * A builder for the capabilities of a project. It makes plain JSON in the tree format; the compiler checks it as it
 * checks any document.
 * @example
 * const plan = createPlanBuilder([square]);
 * plan.document('Square 3', plan.task('Square it', { capability: 'square', arguments: { of: 3 } }));
 */
export function createPlanBuilder<const Known extends readonly Capability[]>(_capabilities: Known): PlanBuilder<Known> {
  return plan as PlanBuilder<Known>;
}
