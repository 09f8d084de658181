/** Checks what the tasks of a plan name, such as files, before anybody is asked about the plan. */

import { aborted, nodeIndex } from '../../protocol/index.ts';
import {
  canonicalJson,
  findReferences,
  type Catalogue,
  type CompiledPlan,
  type Executor,
  type JsonValue,
  type TaskNode,
} from '../../plan/index.ts';
import { cutCharacters, messageOf, oneLine } from '../../plan/text/index.ts';
import { CapabilityError, readArguments, type Capability, defineCapability } from '../index.ts';
import type { CapabilityRegistry } from './registry.ts';
import { z } from 'zod';

/** The part of one result that a later round sees. */
const MAX_NOTE = 8000;

/**
 * Stores a note (VentureScope: reflect): the note is the result.
 * @example defineConfig({ capabilities: [reflect] });
 */
export const reflect = defineCapability({
  name: 'reflect',
  description: 'Writes down a note: what was found out, what is missing, what to try next.',
  guide: {
    when: 'Nothing is to be done right now, and what was learnt should stand in one place before the next step.',
    examples: ['reflect { "note": "Both sources count households, not people. Ask for the size of a household." }'],
  },
  input: z.strictObject({
    note: z
      .string()
      .max(MAX_NOTE)
      .refine((note) => note.trim() !== '', 'expected a text that is not blank'),
  }),
  output: 'text',
  effect: 'read',
  usesGoal: false,
  execute: (task) => task.arguments.note.trim(),
});

const LOOK_MS = 30_000;
const MAX_TEXT = 1000;

export interface LookedPlan {
  readonly warnings?: Readonly<Record<number, string>>;
  /** A catalogue that refuses the tasks that would fail, so that compiling again gives an issue at each place. */
  readonly refusing?: Catalogue;
}

/**
 * Runs the `look` of every capability in the plan, within 30 s for all, and returns the problems and warnings.
 * @param isDone tasks to skip: they have run, or their approval is valid
 * @example const { refusing, warnings } = await lookAtPlan(plan, executors, registry, signal);
 */
export async function lookAtPlan(
  plan: CompiledPlan,
  executors: Readonly<Record<string, Executor>>,
  registry: CapabilityRegistry,
  signal: AbortSignal,
  isDone: (task: TaskNode) => boolean = () => false,
): Promise<LookedPlan> {
  const written = Object.values(executors).flatMap(({ resource }) => resource ?? []);
  const over = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  const seen = new Map<string, Seen>();
  let warnings: Record<number, string> | undefined;
  for (const task of plan.tasks) {
    const { arguments: args = {}, id } = task;
    const executor = executors[id];
    const capability = executor?.kind === 'capability' ? registry.capability(executor.name) : undefined;
    if (executor === undefined || capability?.look === undefined || isDone(task)) continue;
    if (findReferences(args).some(({ whole }) => whole)) continue;
    const key = keyOf(executor, args);
    const found = seen.get(key) ?? (await look(capability, args, written, over));
    signal.throwIfAborted();
    seen.set(key, found);
    if (found.warning !== undefined) (warnings ??= {})[nodeIndex(id)] = found.warning;
  }
  const looked = warnings === undefined ? {} : { warnings };
  if (![...seen.values()].some(({ problem }) => problem !== undefined)) return looked;
  const checkArguments: Catalogue['checkArguments'] = (executor, args) => {
    const message = seen.get(keyOf(executor, args ?? {}))?.problem;
    return [...registry.checkArguments(executor, args), ...(message === undefined ? [] : [{ path: [], message }])];
  };
  return { ...looked, refusing: { ...registry, checkArguments } };
}

interface Seen {
  readonly problem?: string;
  readonly warning?: string;
}

function keyOf({ kind, name }: Executor, args: JsonValue): string {
  return canonicalJson([kind, name, args]);
}

async function look(
  { name, input, ...own }: Capability,
  args: JsonValue,
  written: readonly string[],
  over: AbortSignal,
) {
  const brief = (text: string) => cutCharacters(oneLine(text), MAX_TEXT);
  try {
    over.throwIfAborted();
    const read = readArguments(input, args);
    // The check of arguments reports those that do not fit.
    const looking = async () => (read.ok ? own.look?.({ arguments: read.value as never, written, signal: over }) : []);
    // A look is dropped after its time even if it ignores its signal.
    const warnings = (await Promise.race([aborted(over), looking()])) ?? [];
    return warnings.length === 0 ? {} : { warning: brief(warnings.join('; ')) };
  } catch (error) {
    if (error instanceof CapabilityError && error.errorClass !== 'RETRIABLE') return { problem: brief(error.message) };
    const why = over.aborted ? `looks at a plan have ${LOOK_MS / 1000} s` : messageOf(error);
    return { warning: brief(`${name} could not look at it before it runs: ${why}`) };
  }
}
