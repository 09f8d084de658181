/** Builds plans in code for a project; the type checker knows its capabilities and their arguments. */

import type { z } from 'zod';
import { plan, type TaskDetails, type TreeTask } from '../plan/index.ts';
import type { ResultKind } from '../protocol/index.ts';
import type { Capability } from './capability.ts';

/** The functions of `plan`, with tasks for these capabilities, an agent, or the default executor. */
export interface PlanBuilder<Known extends readonly Capability[]> extends Omit<typeof plan, 'task'> {
  task(text: string, details?: UnnamedTask): TreeTask;
  // Last: tsc explains the last overload.
  task(text: string, details: TaskOf<Known[number]>): TreeTask;
}

/** A task with its capability and the arguments that it takes, before defaults. */
export type TaskOf<Known> =
  Known extends Capability<infer Input, ResultKind, infer Name>
    ? Omit<TaskDetails, 'capability' | 'arguments' | 'agent'> & { readonly capability: Name } & ArgumentsOf<
          z.input<Input>
        >
    : never;

/** A task without a capability. */
export type UnnamedTask = Omit<TaskDetails, 'capability' | 'arguments'> & { readonly capability?: never };

/** The `arguments` of a task; optional if all of them are. */
type ArgumentsOf<Arguments> =
  Partial<Arguments> extends Arguments ? { readonly arguments?: Arguments } : { readonly arguments: Arguments };

/**
 * A builder for the capabilities of a project. It returns plain JSON in the tree format; the compiler checks it like
 * any document.
 * @example
 * const plan = createPlanBuilder([square]);
 * plan.document('Square 3', plan.task('Square it', { capability: 'square', arguments: { of: 3 } }));
 */
export function createPlanBuilder<const Known extends readonly Capability[]>(_capabilities: Known): PlanBuilder<Known> {
  return plan as PlanBuilder<Known>;
}
