/** How a test carries out a capability: its arguments are checked, and its inputs are what the steps before gave. */

import type { z } from 'zod';
import type { ResultValues, WorkCapability } from '../../src/capabilities/index.ts';
import type { Result } from '../../src/store/index.ts';

export interface Surroundings {
  /** Results by their keys. */
  readonly inputs?: Readonly<Record<string, Result>>;
  readonly signal?: AbortSignal;
  readonly idempotencyKey?: string;
}

export async function carryOut<Input extends z.ZodType, Kind extends keyof ResultValues>(
  capability: WorkCapability<Input, Kind>,
  args: z.input<Input>,
  { inputs = {}, signal = new AbortController().signal, idempotencyKey = 'k' }: Surroundings = {},
): Promise<ResultValues[Kind]> {
  return capability.execute({
    ...{ goal: '', task: 't', signal, idempotencyKey, heartbeat() {} },
    arguments: capability.input.parse(args),
    inputs: Object.entries(inputs).map(([name, result]) => ({
      ...{ name, handle: { ref: name } },
      read: () => Promise.resolve(result),
    })),
  });
}

/** The examples of its guide, as arguments. */
export function examplesOf({ name, guide }: Pick<WorkCapability, 'name' | 'guide'>): readonly unknown[] {
  return (guide?.examples ?? []).map((example) => {
    if (!example.startsWith(`${name} {`)) throw new Error(`no example of ${name}: ${example}`);
    return JSON.parse(example.slice(name.length)) as unknown;
  });
}
