/** Shapes of plans, which every engine can carry out, and the plan document of one. */

import { randomFrom } from './random.ts';

/** A plan without words: node i takes the results of smaller nodes; the last node is its root. */
export interface Shape {
  readonly name: string;
  /** inputs[i]: the nodes that node i waits for, none to two. Two are a union. */
  readonly inputs: readonly (readonly number[])[];
  /** naps[i]: milliseconds that node i naps; 0 for a node that does nothing. */
  readonly naps: readonly number[];
  /** The sum of naps on the slowest way through, in milliseconds. */
  readonly criticalPath: number;
  /** Bytes of the result of each node without inputs. Default 0: an empty set. */
  readonly bytes?: number;
  /** A file to which each node of less than two inputs appends a line when it begins and when it ends. */
  readonly ledger?: string;
}

/** A balanced binary tree of an odd number of nodes that do nothing; perfect for 2^k - 1. */
export function tree(nodes: number): Shape {
  const inputs: number[][] = [];
  const build = (size: number): number => {
    if (size === 1) return inputs.push([]) - 1;
    // Both sides are odd.
    const left = 2 * Math.floor((size - 1) / 4) + 1;
    const both = [build(left), build(size - 1 - left)];
    return inputs.push(both) - 1;
  };
  build(nodes);
  return { name: `tree of ${nodes.toLocaleString('en')}`, inputs, naps: inputs.map(() => 0), criticalPath: 0 };
}

/** Nodes that do nothing, each after the one before. */
export function chain(nodes: number): Shape {
  const inputs = Array.from({ length: nodes }, (_, node) => (node === 0 ? [] : [node - 1]));
  return { name: `chain of ${nodes}`, inputs, naps: inputs.map(() => 0), criticalPath: 0 };
}

/** Chains side by side whose nodes nap as long each, and the joins of their ends. */
export function chains(count: number, length: number, ms: number): Shape {
  const inputs: number[][] = [];
  let ends = Array.from({ length: count }, () => {
    for (let at = 0; at < length; at++) inputs.push(at === 0 ? [] : [inputs.length - 1]);
    return inputs.length - 1;
  });
  const joinsFrom = inputs.length;
  while (ends.length > 1) {
    const [left = 0, right = 0, ...more] = ends;
    ends = [...more, inputs.push([left, right]) - 1];
  }
  const nap = inputs.map((_, node) => (node < joinsFrom ? ms : 0));
  return { name: `${count} chains of ${length}`, inputs, naps: nap, criticalPath: length * ms };
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

/** The words of a task of a node. */
export const wordsOf = (node: number): string => `n${node}`;

const noop = () => ({ capability: 'noop' });

/**
 * The shape as a plan document: two inputs are a UNION, one is a task's input. Every task is different, so that
 * nothing merges.
 * @param taskOf the capability of a node, with its arguments. Default: the one that does nothing.
 */
export function documentOf(
  { name, inputs }: Shape,
  taskOf: (node: number) => { readonly capability: string; readonly arguments?: object } = noop,
): { goal: string; plan: object } {
  const made: object[] = [];
  inputs.forEach(([first, second], node) => {
    const task = { type: 'task', task: wordsOf(node), ...taskOf(node) };
    if (first === undefined) made[node] = task;
    else if (second === undefined) made[node] = { ...task, input: made[first] };
    else made[node] = { type: 'combine', operator: 'UNION', left: made[first], right: made[second] };
  });
  return { goal: name, plan: made.at(-1) ?? {} };
}
