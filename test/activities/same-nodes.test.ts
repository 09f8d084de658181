/** Which nodes of an edited plan are nodes of the plan before, against an oracle that writes each node's whole history. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameNodes } from '../../src/activities/same-nodes.ts';
import { revisionOf, type Revision } from '../../src/activities/revision.ts';
import { nodeId, nodeIndex } from '../../src/contract/index.ts';
import { planTree, RUNS } from '../plan/arbitraries.ts';
import { combine, compiled } from '../plan/example-plans.ts';

const LABELS = ['capability x@1 read', 'capability x@2 read', 'capability x@1 read without goal', 'operator'];

/** Who carries out each node, by its number: an index into `LABELS`; and a goal. */
type Setting = readonly [labelOf: readonly number[], goal: string];
const setting: fc.Arbitrary<Setting> = fc.tuple(
  fc.array(fc.constantFrom(0, 0, 0, 1, 2, 2, 2, 3, 3), { minLength: 40, maxLength: 40 }),
  fc.constantFrom('Find targets', 'Find targets', 'Find targets', 'Find other targets'),
);

function revised(tree: unknown, [labelOf, goal]: Setting): Revision {
  const plan = { ...compiled(tree), goal };
  return revisionOf(plan, { digest: plan.digest, labels: LABELS, labelOf, external: {} });
}

/** Two plans that have a part in common. */
const pair = fc
  .tuple(planTree, planTree, planTree, setting, setting)
  .map(([left, middle, right, newer, older]): readonly [Revision, Revision] => [
    revised(combine('UNION', left, middle), newer),
    revised(combine('MINUS', middle, right), older),
  ]);

const nodesOf = ({ plan }: Revision) =>
  Array.from({ length: plan.tasks.length + plan.combines.length }, (_, i) => plan.nodesById[nodeId(i)]!);

/** What a node means, what carries it and everything below it out, and the goals that they are given, in one text. */
function histories(of: Revision): readonly string[] {
  const texts: string[] = [];
  for (const node of nodesOf(of)) {
    const inputs = (node.kind === 'combine' ? node.inputs : node.dependsOn).map((id) => texts[nodeIndex(id)]);
    const label = of.executorOf(node.id)!;
    const goal = label === LABELS[0] || label === LABELS[1] ? of.plan.goal : '';
    texts.push(`${node.key} ${label} ${goal} [${inputs.join(';')}]`);
  }
  return texts;
}

test('a node stays the same when it and all below it mean the same and are carried out by the same', () => {
  let same = 0;
  let other = 0;
  fc.assert(
    fc.property(pair, ([after, base]) => {
      const found = sameNodes(after, base);
      const old = histories(base);
      expect(found).toEqual(histories(after).map((text) => old.indexOf(text)));
      const named = found.filter((index) => index !== -1);
      expect(new Set(named).size).toBe(named.length);
      for (const [index, before] of found.entries()) {
        if (before === -1) other += 1;
        else {
          same += 1;
          expect(nodesOf(after)[index]!.key).toBe(nodesOf(base)[before]!.key);
        }
      }
    }),
    RUNS,
  );
  expect(Math.min(same, other)).toBeGreaterThan(100);
});

test('every node of a plan is its own', () => {
  fc.assert(
    fc.property(pair, ([one]) => {
      expect(sameNodes(one, one)).toEqual(nodesOf(one).map((_, index) => index));
    }),
    RUNS,
  );
});
