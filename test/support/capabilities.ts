/** Small capabilities for tests: what they do is decided by the plan, and what they did is kept. */

import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import {
  CapabilityError,
  defineCapability,
  NotApplied,
  type TaskContext,
  type WorkCapability,
} from '../../src/capabilities/index.ts';
import type { Effect } from '../../src/plan/index.ts';
import type { ResultKind } from '../../src/protocol/index.ts';

/** A gate that tests open: tasks wait at it by name. */
export interface Barrier {
  wait(name: string, signal: AbortSignal): Promise<void>;
  open(name: string): void;
  /** Resolves when a task waits at the name. */
  reached(name: string): Promise<void>;
}

export function createBarrier(): Barrier {
  const opened = new Map<string, PromiseWithResolver>();
  const arrived = new Map<string, PromiseWithResolver>();
  return {
    async wait(name, signal) {
      at(arrived, name).resolve();
      await Promise.race([at(opened, name).promise, aborted(signal)]);
    },
    open: (name) => at(opened, name).resolve(),
    reached: (name) => at(arrived, name).promise,
  };
}

type Declaration<Input extends z.ZodType, Kind extends ResultKind> = Parameters<
  typeof defineCapability<Input, Kind, string>
>[0];
type Called<Input extends z.ZodType, Kind extends ResultKind> = Omit<
  Declaration<Input, Kind>,
  'description' | 'effect' | 'output' | 'input' | 'execute'
>;

/** A capability in few words: its name with what else is declared, its effect, what it gives and takes, and what it does. */
export function tool<Input extends z.ZodType, Kind extends ResultKind>(
  called: string | Called<Input, Kind>,
  effect: Effect,
  output: Kind,
  input: Input,
  execute: Declaration<Input, Kind>['execute'],
): WorkCapability<Input, Kind> {
  const more = typeof called === 'string' ? { name: called } : called;
  return defineCapability<Input, Kind, string>({
    description: `Does ${more.name}.`,
    ...more,
    effect,
    output,
    input,
    execute,
  });
}

/** A set of the ids that its arguments list. */
export const ids = defineCapability({
  name: 'ids',
  description: 'The ids that are given.',
  input: z.object({ ids: z.array(z.string()) }),
  output: 'set',
  effect: 'read',
  execute: (task) => createSet(task.arguments.ids.map((id) => ({ id }))),
});

/** What it was given, as text. */
export const echo = defineCapability({
  name: 'echo',
  description: 'What it was given, as JSON text.',
  input: z.looseObject({}),
  output: 'text',
  effect: 'read',
  async execute(task) {
    const inputs = await Promise.all(task.inputs.map(async (input) => (await input.read()).kind));
    return JSON.stringify({ goal: task.goal, task: task.task, hint: task.hint, context: task.context, inputs });
  },
});

/** Fails in the way its arguments name. */
export const fails = defineCapability({
  name: 'fails',
  description: 'Fails.',
  input: z.object({ how: z.enum(['critical', 'error']) }),
  output: 'set',
  effect: 'read',
  retry: { attempts: 2, initialMs: 10 },
  execute: (task) => {
    throw task.arguments.how === 'critical' ? new CapabilityError('CRITICAL', 'broke for good') : new Error('broke');
  },
});

/** Waits at the barrier that its argument names, then gives one id. */
export function waits(barrier: Barrier) {
  return defineCapability({
    name: 'waits',
    description: 'Waits until the test goes on.',
    input: z.object({ at: z.string() }),
    output: 'set',
    effect: 'read',
    async execute(task) {
      await barrier.wait(task.arguments.at, task.signal);
      return createSet([{ id: task.arguments.at }]);
    },
  });
}

/** Writes to a ledger that stands for hardware. `mode`: it works, breaks after the write, or knows that it wrote nothing. */
export function writes(name: string, effect: 'idempotent' | 'at-most-once', written: string[]) {
  return defineCapability({
    name,
    description: 'Writes.',
    input: z.object({ value: z.string(), mode: z.enum(['works', 'breaks', 'not-applied']).default('works') }),
    output: 'set',
    effect,
    execute: (task: TaskContext<{ value: string; mode: 'works' | 'breaks' | 'not-applied' }>) => {
      if (task.arguments.mode === 'not-applied') throw new NotApplied('the device was busy');
      written.push(task.idempotencyKey);
      if (task.arguments.mode === 'breaks') throw new Error('the line went dead');
      return createSet([{ id: task.arguments.value }]);
    },
  });
}

interface PromiseWithResolver {
  readonly promise: Promise<void>;
  resolve(): void;
}

function at(map: Map<string, PromiseWithResolver>, name: string): PromiseWithResolver {
  const known = map.get(name);
  if (known !== undefined) return known;
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  const made = { promise, resolve };
  map.set(name, made);
  return made;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}

/** A node that asks, and ends when it is answered. */
export const which = defineCapability({
  name: 'which',
  description: 'Asks which.',
  kind: 'wait',
  input: z.object({}),
  output: 'set',
  effect: 'read',
  execute: () => ({ text: 'which?' }),
});
