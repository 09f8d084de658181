/** Which nodes of an edited plan are nodes of the plan before, against an oracle that writes each node's whole history. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameNodes } from '../../src/activities/same-nodes.ts';
import type { Revision } from '../../src/activities/revision.ts';
import { nodeId, nodeIndex } from '../../src/contract/index.ts';
import { planTree, RUNS } from '../plan/arbitraries.ts';
import { combine, compiled } from '../plan/example-plans.ts';

type Versions = readonly string[];
const versions = fc.array(fc.constantFrom('1', '2'), { maxLength: 3 });

/** Nodes are carried out by the versions that their numbers pick. */
function revisionOf(tree: unknown, known: Versions): Revision {
  const executorOf = (id: string) => `capability x@${known[nodeIndex(id)] ?? '1'} read`;
  return { plan: compiled(tree), executorOf, external: {} };
}

/** Two plans that have a part in common. */
const pair = fc
  .tuple(planTree, planTree, planTree, versions, versions)
  .map(([left, middle, right, newer, older]): readonly [Revision, Revision] => [
    revisionOf(combine('UNION', left, middle), newer),
    revisionOf(combine('MINUS', middle, right), older),
  ]);

const nodesOf = ({ plan }: Revision) =>
  Array.from({ length: plan.tasks.length + plan.combines.length }, (_, i) => plan.nodesById[nodeId(i)]!);

/** What a node means and what carries it and everything below it out, in one text. */
function histories(of: Revision): readonly string[] {
  const texts: string[] = [];
  for (const node of nodesOf(of)) {
    const inputs = (node.kind === 'combine' ? node.inputs : node.dependsOn).map((id) => texts[nodeIndex(id)]);
    texts.push(`${node.key} ${of.executorOf(node.id)} [${inputs.join(';')}]`);
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
  expect(Math.min(same, other)).toBeGreaterThan(500);
});

test('every node of a plan is its own', () => {
  fc.assert(
    fc.property(pair, ([one]) => {
      expect(sameNodes(one, one)).toEqual(nodesOf(one).map((_, index) => index));
    }),
    RUNS,
  );
});
