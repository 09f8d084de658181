/** Which nodes of an edited plan are nodes of the plan before, against an oracle that writes each node's whole history. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effectKeysOf, revisionOf, type Revision } from '../../src/activities/revision.ts';
import { issuesOfLost, reformedNodes, sameNodes } from '../../src/activities/same-nodes.ts';
import { nodeId, nodeIndex } from '../../src/protocol/index.ts';
import { planTree, RUNS } from '../plan/arbitraries.ts';
import { combine, compiled } from '../plan/example-plans.ts';
import { compiledPlan } from '../support/plans.ts';

const LABELS = ['capability x@1 read', 'capability x@2 read', 'capability x@1 read without goal', 'operator'];

/** Who carries out each node, by its number: an index into `LABELS`; and a goal. */
type Setting = readonly [labelOf: readonly number[], goal: string];
const setting: fc.Arbitrary<Setting> = fc.tuple(
  fc.array(fc.constantFrom(0, 0, 0, 1, 2, 2, 2, 3, 3), { minLength: 40, maxLength: 40 }),
  fc.constantFrom('Find targets', 'Find targets', 'Find targets', 'Find other targets'),
);

function revised(tree: unknown, [labelOf, goal]: Setting): Revision {
  const plan = { ...compiled(tree), goal };
  return revisionOf(plan, { digest: plan.digest, labels: LABELS, labelOf });
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

/** A read that finds and an effect on what it found, with whatever a case says otherwise; `pay` has an effect. */
const READ = { task: 'Find the bill', capability: 'find', arguments: { of: 'may' } };
const PAY = { task: 'Pay it', capability: 'pay', arguments: { sum: 5 }, hint: 'once' };

const tree = (over: object = {}, read: object = {}) => ({
  goal: 'Keep the books',
  plan: { ...PAY, ...over, input: { ...READ, ...read } },
});

function list(over: object = {}, read: object = {}, goal = 'Keep the books') {
  const { task: objective, hint: description, arguments: parameters, ...rest } = { ...PAY, ...over };
  const { task: found, arguments: given, ...first } = { ...READ, ...read };
  const steps = [
    { context_key: 'bill', task_objective: found, parameters: given, ...first },
    { context_key: 'paid', inputs: ['bill'], task_objective: objective, description, parameters, ...rest },
    { context_key: 'said', capability: 'respond', task_objective: 'Say it' },
  ];
  return { goal, steps };
}

function revisionFrom(document: object): Revision {
  const read = compiledPlan(document);
  const { plan } = read;
  const labels = ['capability find@1 read', 'capability pay@1 at-most-once', 'capability respond@1 read'];
  const labelOf = nodesOf({ plan } as Revision).map((node) =>
    node.kind === 'combine' ? -1 : ['find', 'pay', 'respond'].indexOf(node.capability ?? ''),
  );
  return revisionOf(plan, { digest: plan.digest, labels, labelOf });
}

const keptOf = (after: object, before: object) => {
  const [revision, base] = [revisionFrom(after), revisionFrom(before)];
  return reformedNodes(revision, base, sameNodes(revision, base));
};
const payKeyOf = (document: object) => effectKeysOf(revisionFrom(document))[1];

describe('an effect in a plan of another form', () => {
  test.each<[what: string, after: object, before: object, kept: readonly number[] | undefined]>([
    ['a tree becomes a list', list(), tree(), [0, 1, -1]],
    ['a list becomes a tree', tree(), list(), [0, 1]],
    ['a step has other labels', list({ context_key: 'settled', expected_output: 'RECEIPT' }), list(), [-1, 1, 2]],
    ['the arguments change', list({ arguments: { sum: 6 } }), tree(), [0, -1, -1]],
    ['the words change', list({ task: 'Pay it late' }), tree(), [0, -1, -1]],
    ['the hint changes', list({ hint: 'twice' }), tree(), [0, -1, -1]],
    ['what it stands on changes', list({}, { arguments: { of: 'june' } }), tree(), undefined],
    ['the goal changes', list({}, {}, 'Another goal'), tree(), undefined],
  ])('%s', (_, after, before, kept) => {
    expect(keptOf(after, before)).toEqual(kept);
  });

  test('of several alike each is named once', () => {
    const twice = (one: string, other: string) => ({
      goal: 'g',
      steps: [one, other].map((context_key) => ({
        context_key,
        capability: 'pay',
        task_objective: 'Pay',
        parameters: { sum: 5 },
      })),
    });
    expect(keptOf(twice('c', 'd'), twice('a', 'b'))).toEqual([0, 1, 2]);
    const once = { goal: 'g', plan: { task: 'Pay', capability: 'pay', arguments: { sum: 5 } } };
    expect(keptOf(twice('a', 'b'), once)).toEqual([0, -1, -1]);
  });

  test.each<[what: string, document: object, isSame: boolean]>([
    ['the other form', list(), true],
    ['other words, where arguments say what it does', list({ task: 'Pay the bill' }), true],
    ['other words of what it stands on', list({}, { task: 'Look for the bill' }), true],
    ['other arguments', list({ arguments: { sum: 6 } }), false],
    ['other arguments of what it stands on', list({}, { arguments: { of: 'june' } }), false],
  ])('its key under %s', (_, document, isSame) => {
    expect(payKeyOf(document) === payKeyOf(tree())).toBe(isSame);
  });

  test('without arguments it is told by its words', () => {
    const bare = (task: string) => tree({ arguments: {}, task });
    expect(payKeyOf(bare('Pay May'))).toBe(payKeyOf(list({ arguments: {}, task: 'Pay May' })));
    expect(payKeyOf(bare('Pay May'))).not.toBe(payKeyOf(bare('Pay June')));
  });

  test('a reference counts as what it names, whatever its number', () => {
    const paying = (first: readonly object[], token: string) => ({
      goal: 'g',
      steps: [
        ...first,
        { context_key: 'bill', capability: 'find', task_objective: 'Find', parameters: { of: 'may' } },
        { context_key: 'paid', capability: 'pay', task_objective: 'Pay', parameters: { sum: token } },
      ],
    });
    const other = { context_key: 'other', capability: 'find', task_objective: 'Find', parameters: { of: 'june' } };
    const [one, two] = [paying([], 'result_from_step_1'), paying([other], 'result_from_step_2')].map(revisionFrom);
    expect(effectKeysOf(one!)[1]).toBe(effectKeysOf(two!)[2]);
  });
});

describe('a plan that was made anew', () => {
  const find = { context_key: 'found', capability: 'find', task_objective: 'Find it' };
  const base = revisionFrom({ goal: 'g', steps: [find, { ...find, context_key: 'other' }] });

  test.each<[string, readonly number[], readonly number[] | undefined, readonly string[]]>([
    ['a node that ended without a result', [0, -1], undefined, ['found']],
    ['one in another form', [-1, -1], [0, -1], ['found']],
    ['one that has a result', [-1, 1], undefined, []],
  ])('has as before %s', (_, sameAs, reformed, told) => {
    const issues = issuesOfLost({ sameAs, ...(reformed && { reformed }) }, base, ['node_1']);
    expect(issues.map(({ nodeId: id }) => id)).toEqual(told);
    for (const { message } of issues) expect(message).toMatch(/^"Find it" stands in it as before/);
  });
});
