import { createHash } from 'node:crypto';
import { combineSets, createSet, type ResultRecord, type ResultSet } from '../plan/algebra/index.ts';
import { canonicalJson, type CompiledPlan, type JsonValue, type TaskNode } from '../plan/index.ts';
import { nodeIndex } from '../protocol/index.ts';

/** Number of rounds with random sets. Each round with equal results makes a difference less likely. */
const ROUNDS = 32;
const RECORDS = 24;
/** The distance between unrelated records, in bases. */
const FAR = 100_000;
const NUMBERS = 256;
const REFUSED = 'refused';

/**
 * Compares two plans by what they compute: both run with the real operators on random sets (32 rounds of 24 records).
 * Tasks with equal names, arguments and inputs get equal sets. The text of a task counts only if the task names neither
 * a capability nor an agent.
 * @param seed chooses the random sets; default 1
 * @returns a sentence that says why the plans differ, or undefined if they do not
 * @example
 * const problem = sameMeaning(plan, wanted);
 * if (problem !== undefined) console.error(problem);
 */
export function sameMeaning(one: CompiledPlan, other: CompiledPlan, seed = 1): string | undefined {
  const distances = [
    ...new Set([one, other].flatMap(({ combines }) => combines.flatMap((node) => numbersIn(node.colocate)))),
  ];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const universe = recordsOf(randomOf(`${seed}/${round}`), distances);
    const [left, right] = [one, other].map((plan) => evaluate(plan, universe, `${seed}/${round}`));
    if (left !== right) return `the plan means another thing: in round ${round} of ${ROUNDS} it gives other records`;
  }
  return undefined;
}

function evaluate(plan: CompiledPlan, universe: readonly ResultRecord[], salt: string): string {
  const results = new Map<string, ResultSet | undefined>();
  const idsText = (id: string) => asText(results.get(id));
  const nodes = Object.values(plan.nodesById).toSorted((a, b) => nodeIndex(a.id) - nodeIndex(b.id));
  for (const node of nodes) {
    if (node.kind === 'task') {
      const random = randomOf(`${salt}/${taskIdentity(node, node.dependsOn.map(idsText))}`);
      results.set(node.id, createSet(universe.filter(() => random() < 0.5)));
      continue;
    }
    const [left, right] = node.inputs.map((id) => results.get(id));
    if (left === undefined || right === undefined) {
      results.set(node.id, undefined);
      continue;
    }
    const combined = combineSets(node.operator, left, right, node.colocate);
    results.set(node.id, combined.ok ? combined.set : undefined);
  }
  return idsText(plan.root);
}

function asText(result: ResultSet | undefined): string {
  return result === undefined ? REFUSED : result.ids.join(',');
}

function taskIdentity(
  { task, capability, agent, arguments: given, externalInputs }: TaskNode,
  inputs: readonly string[],
): string {
  const name = capability ?? agent ?? `task: ${task}`;
  return canonicalJson([name, given ?? {}, inputs, externalInputs ?? []] as JsonValue);
}

/** Makes pairs of records whose distance is close to a window of the plans. Random distances would hide differences. */
function recordsOf(random: () => number, distances: readonly number[]): readonly ResultRecord[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const near = distances.filter((distance) => distance < FAR / 4);
  return Array.from({ length: RECORDS }, (_, at) => {
    const anchor = FAR * (1 + Math.floor(at / 4));
    const offset = pick([1, -1]) * (pick([0, 1, ...near]) + pick([-1, 0, 1]));
    const start = anchor + offset;
    const location = { sequence: 'chr1', start, stop: start + pick([0, 0, 1, 50]), strand: pick([1, -1] as const) };
    return { id: `r${at}`, location };
  });
}

function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [Math.abs(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function randomOf(text: string): () => number {
  const bytes = createHash('shake256', { outputLength: 4 * NUMBERS })
    .update(text)
    .digest();
  let at = 0;
  return () => bytes.readUInt32LE(4 * (at++ % NUMBERS)) / 2 ** 32;
}
