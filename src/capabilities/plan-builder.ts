import type { z } from 'zod';
import { plan, type TaskDetails, type TreeTask } from '../plan/index.ts';
import type { ResultKind } from '../protocol/index.ts';
import type { Capability } from './capability.ts';

/** The functions of `plan`, with tasks for these capabilities, for an agent, or for the default executor. */
export interface PlanBuilder<Known extends readonly Capability[]> extends Omit<typeof plan, 'task'> {
  task(text: string, details?: UnnamedTask): TreeTask;
  // This overload is last, since the compiler explains errors by the last overload.
  task(text: string, details: TaskOf<Known[number]>): TreeTask;
}

/** A task with the name of its capability, and with the arguments of that capability before defaults. */
export type TaskOf<Known> =
  Known extends Capability<infer Input, ResultKind, infer Name>
    ? Omit<TaskDetails, 'capability' | 'arguments' | 'agent'> & { readonly capability: Name } & ArgumentsOf<
          z.input<Input>
        >
    : never;

export type UnnamedTask = Omit<TaskDetails, 'capability' | 'arguments'> & { readonly capability?: never };

type ArgumentsOf<Arguments> =
  Partial<Arguments> extends Arguments ? { readonly arguments?: Arguments } : { readonly arguments: Arguments };

/**
 * Functions that build plans for a project's capabilities, with type checks of names and arguments. They return plain
 * JSON in the tree format, which the compiler checks like any document.
 * @example
 * const plan = createPlanBuilder([square]);
 * plan.document('Square 3', plan.task('Square it', { capability: 'square', arguments: { of: 3 } }));
 */
export function createPlanBuilder<const Known extends readonly Capability[]>(_capabilities: Known): PlanBuilder<Known> {
  return plan as PlanBuilder<Known>;
}
