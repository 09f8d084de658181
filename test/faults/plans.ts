/** Plans for scenarios: random trees of work, whose every leaf has a name of its own. */

import type { Random } from './random.ts';

export interface Work {
  readonly document: { readonly goal: string; readonly plan: object };
  /** The leaves that capabilities carry out, by name; questions are carried out by people. */
  readonly names: readonly string[];
  readonly questions: number;
}

/** What the leaves of a random tree are, each as often as it stands here. */
const LEAVES = ['look', 'look', 'look-long', 'look-long', 'mark', 'mark', 'mark-once', 'mark-once', 'choose'] as const;
const OPERATORS = ['UNION', 'UNION', 'UNION', 'INTERSECT', 'MINUS'] as const;

/** A leaf that is carried out by the capability and called by the name. */
export const leaf = (capability: string, name: string, more: object = {}, over: object = {}) => ({
  type: 'task',
  task: `${capability} ${name}`,
  capability,
  arguments: { name, ...more },
  ...over,
});

/** A tree of unions over the parts. */
export function together(parts: readonly object[]): object {
  const [first, ...others] = parts;
  if (first === undefined) throw new RangeError('a plan has at least one part');
  return others.reduce((left, right) => ({ type: 'combine', operator: 'UNION', left, right }), first);
}

/** A tree with so many leaves, some of which stand on others. */
export function randomWork(random: Random, leaves: number): Work {
  const names: string[] = [];
  let questions = 0;
  let count = 0;
  const grow = (size: number): object => {
    if (size === 1 || (size <= 3 && random.percent(30))) {
      const capability = random.pick(LEAVES);
      const name = `${capability}-${++count}`;
      if (capability === 'choose') questions += 1;
      else names.push(name);
      const input = size === 1 ? {} : { input: grow(size - 1) };
      return leaf(capability, name, { ms: 50 + random.below(capability === 'look-long' ? 1500 : 400) }, input);
    }
    const left = 1 + random.below(size - 1);
    return { type: 'combine', operator: random.pick(OPERATORS), left: grow(left), right: grow(size - left) };
  };
  return { document: { goal: `random work of ${leaves} leaves`, plan: grow(leaves) }, names, questions };
}
