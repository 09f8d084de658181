/** Whether a plan that was made from the goal is the one of the demo, and gives what that one must. */

import { readFileSync } from 'node:fs';
import { compilePlan, type CompiledPlan } from 'planwright';
import { grouped } from '../../words.ts';
import type { Stage } from '../../stage/index.ts';
import { EXPECTED_COUNTS } from '../expected.ts';

/** Sentences; empty when every node of `plan.json` is in it, no other is, and each has given what it must. */
export function faultsOfPlan(
  { demo, registry }: Pick<Stage, 'demo' | 'registry'>,
  plan: CompiledPlan,
  completed: ReadonlyMap<string, number>,
): readonly string[] {
  const compiled = compilePlan(readFileSync(demo.planFile), { catalogue: registry });
  if (!compiled.ok) return [`${demo.planFile} is invalid.`];
  const made = new Map([...plan.tasks, ...plan.combines].map(({ key, id }) => [key, id]));
  const written = [...compiled.plan.tasks, ...compiled.plan.combines];
  const faults = written.flatMap((node) => {
    const name = node.kind === 'task' ? node.task : node.displayName;
    const id = made.get(node.key);
    if (id === undefined) return [`The plan has no node for "${name}".`];
    const [got, expected] = [completed.get(id) ?? 0, EXPECTED_COUNTS[name] ?? 0];
    return got === expected
      ? []
      : [`${id} (${name}) gave ${grouped(got)} records, and should give ${grouped(expected)}.`];
  });
  const more = made.size - written.length;
  return more > 0 ? [...faults, `The plan has ${more} nodes more than ${demo.planFile}.`] : faults;
}
