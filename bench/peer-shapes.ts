/** Shapes that every engine can carry out: trees, chains and random trees of naps. */

import type { Shape } from './contender.ts';
import { randomFrom } from './random.ts';

/** A balanced binary tree of 2^k - 1 nodes that do nothing. */
export function tree(nodes: number): Shape {
  const leaves = (nodes + 1) / 2;
  const inputs: number[][] = Array.from({ length: leaves }, () => []);
  for (let made = 0; inputs.length < nodes; made += 2) inputs.push([made, made + 1]);
  return { name: `tree of ${nodes}`, inputs, naps: inputs.map(() => 0), criticalPath: 0 };
}

/** Nodes that do nothing, each after the one before. */
export function chain(nodes: number): Shape {
  const inputs = Array.from({ length: nodes }, (_, node) => (node === 0 ? [] : [node - 1]));
  return { name: `chain of ${nodes}`, inputs, naps: inputs.map(() => 0), criticalPath: 0 };
}

const SHORTEST = 20;
const LONGEST = 60;
const STEP_AFTER = 0.5;

/**
 * A random binary tree: each leaf naps 20 to 60 ms, and half of the joins are followed by a step that naps as long.
 * @param seed the same seed makes the same tree.
 */
export function naps(leaves: number, seed: number): Shape {
  const random = randomFrom(seed);
  const inputs: number[][] = [];
  const nap: number[] = [];
  const ends: number[] = [];
  const add = (needed: number[], ms: number): number => {
    ends.push(Math.max(0, ...needed.map((input) => ends[input] ?? 0)) + ms);
    nap.push(ms);
    return inputs.push(needed) - 1;
  };
  const some = () => SHORTEST + Math.floor(random() * (LONGEST - SHORTEST));
  const open = Array.from({ length: leaves }, () => add([], some()));
  while (open.length > 1) {
    const [left = 0] = open.splice(Math.floor(random() * open.length), 1);
    const [right = 0] = open.splice(Math.floor(random() * open.length), 1);
    const join = add([left, right], 0);
    open.push(random() < STEP_AFTER ? add([join], some()) : join);
  }
  return { name: `naps, ${leaves} leaves`, inputs, naps: nap, criticalPath: Math.max(...ends) };
}
