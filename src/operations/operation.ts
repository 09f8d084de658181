/** An operation: one thing that can be done with plans, runs, conversations and results, in JSON from end to end. */

import type { z } from 'zod';
import type { JsonValue } from '../plan/index.ts';
import type { Question } from '../protocol/index.ts';
import type { Plans } from './plans.ts';

export type Z = typeof z;

/** The side that waits for an operation that takes long. All of it may be absent. */
export interface Waiting {
  /** Ends the wait with its reason; a run goes on. */
  readonly signal?: AbortSignal | undefined;
  /** Hears what goes on meanwhile. */
  readonly hear?: ((told: Heard) => void) | undefined;
  /** Answers a question. undefined: it stays open. Without it nobody can be asked. */
  readonly ask?: ((question: Question) => Promise<JsonValue | undefined>) | undefined;
}

/** `is` tells lines apart that look alike, such as a stage of planning. */
export interface Heard {
  readonly is: string;
  readonly text: string;
}

export interface Operation<Input, Output> {
  readonly name: string;
  /** A sentence for a person, or for a model that chooses among operations. */
  readonly does: string;
  /** Changes nothing, neither in a run nor in the store. */
  readonly readOnly: boolean;
  /** May have effects that nothing takes back, such as the nodes that an approval lets run. */
  readonly destructive: boolean;
  /** Both take zod as an argument: to load it takes longer than many operations. */
  readonly input: (zod: Z) => z.ZodType<Input>;
  readonly output: (zod: Z) => z.ZodType;
  /** @throws OperationError, and the errors of the rooms below, which `toOperationError` reads */
  run(plans: Plans, input: Input, waiting?: Waiting): Promise<Output>;
}

/**
 * Declares an operation. The type of its input is that of its schema, the type of its output that of what it gives.
 * @param row `readOnly` is true and `destructive` false unless it says otherwise
 */
export function operation<Input, Output>(
  row: Omit<Operation<Input, Output>, 'readOnly' | 'destructive'> &
    Partial<Pick<Operation<Input, Output>, 'readOnly' | 'destructive'>>,
): Operation<Input, Output> {
  return { readOnly: true, destructive: false, ...row };
}

/** Everything that a list gives page by page. */
export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
