/** The capabilities of a project, as the compiler asks for them (a Catalogue) and as a worker runs them. */

import type { z } from 'zod';
import type { ArgumentProblem, Catalogue, Executor, JsonValue } from '../plan/index.ts';
import { describe } from '../contract/index.ts';
import { ask } from './ask.ts';
import type { Capability } from './capability.ts';
import { clarify } from './clarify.ts';
import { respond } from './respond.ts';

export interface CapabilityRegistry extends Catalogue {
  capability(name: string): Capability | undefined;
  readonly all: readonly Capability[];
}

export interface RegistryOptions {
  /** The capability that carries out a task which names none. */
  readonly defaultCapability?: string;
}

/** Every project has them, unless it declares its own of that name. */
const BUILT_IN: readonly Capability[] = [respond, ask, clarify];

/**
 * What a worker, and `compilePlan` as its `catalogue`, know of the capabilities of a project.
 * @throws TypeError when two capabilities have one name, or the default is not among them.
 * @example createRegistry([search], { defaultCapability: 'search' }).capabilities; // ['search', 'respond', 'ask', 'clarify']
 */
export function createRegistry(capabilities: readonly Capability[], options: RegistryOptions = {}): CapabilityRegistry {
  const byName = new Map<string, Capability>();
  for (const one of capabilities) {
    if (byName.has(one.name)) throw new TypeError(`capability ${one.name} is declared twice`);
    checkBounds(one);
    byName.set(one.name, one);
  }
  for (const one of BUILT_IN) if (!byName.has(one.name)) byName.set(one.name, one);
  const names = [...byName.keys()];
  const { defaultCapability } = options;
  const byDefault = defaultCapability === undefined ? undefined : byName.get(defaultCapability);
  if (defaultCapability !== undefined && byDefault === undefined) {
    throw new TypeError(
      `tasks.default names capability ${defaultCapability}; declared are ${names.join(', ') || 'none'}`,
    );
  }
  return {
    all: [...byName.values()],
    capabilities: names,
    agents: [],
    ...(byDefault !== undefined && { defaultExecutor: executorOf(byDefault) }),
    capability: (name) => byName.get(name),
    executor(kind, name) {
      const found = kind === 'capability' ? byName.get(name) : undefined;
      return found === undefined ? undefined : executorOf(found);
    },
    checkArguments(executor, args) {
      const found = byName.get(executor.name);
      return found === undefined ? [] : argumentProblems(found.input, args);
    },
  };
}

function executorOf(capability: Capability): Executor {
  const { name, version, effect, usesGoal } = capability;
  return { kind: 'capability', name, version, effect, ...(usesGoal === false && { usesGoal }) };
}

/** A task without arguments is checked as `{}`, so that a missing field is named. */
function argumentProblems(input: z.ZodType, args: JsonValue | undefined): readonly ArgumentProblem[] {
  const checked = input.safeParse(args ?? {});
  if (checked.success) return [];
  return checked.error.issues.map((issue) => {
    const path = issue.path.filter((part) => typeof part !== 'symbol');
    const got = path.reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], args);
    const expected = 'expected' in issue ? String(issue.expected) : undefined;
    return { path, message: issue.message, got: describe(got), ...(expected !== undefined && { expected }) };
  });
}

/** The server refuses a command with a bad bound, and the run would stand still; a program hears of it at its start. */
function checkBounds({ name, timeout, retry }: Capability): void {
  const { factor = 1, ...counts } = { ...timeout, ...retry };
  for (const [bound, value] of Object.entries(counts)) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) continue;
    throw new TypeError(`capability ${name}: ${bound} is a whole number from 1, not ${String(value)}`);
  }
  if (!(factor >= 1 && Number.isFinite(factor))) {
    throw new TypeError(`capability ${name}: factor is a number from 1, not ${String(factor)}`);
  }
}
