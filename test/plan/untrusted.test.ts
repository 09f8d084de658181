/** Where the values of a plan come from: by its edges, as a naive walk over them says, with lines for people. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan, findUntrusted, type CompiledPlan, type PlanNode } from '../../src/plan/index.ts';
import { nodeIndex } from '../../src/plan/node-id.ts';
import { planTree, RUNS } from './arbitraries.ts';

const planIn = (document: unknown, contextKeys: readonly string[] = []): CompiledPlan => {
  const compiled = compilePlan(document, { contextKeys });
  if (!compiled.ok) throw new Error(compiled.issues.map(({ message }) => message).join('\n'));
  return compiled.plan;
};
const nodesOf = ({ nodesById }: CompiledPlan) => Object.values(nodesById);
const inputsOf = (node: PlanNode) => (node.kind === 'combine' ? node.inputs : node.dependsOn);

/** Walks from each node to everything below it, again and again. */
function naive(plan: CompiledPlan, sources: ReadonlySet<string>, external: ReadonlySet<string> = new Set()) {
  const below = (id: string): string[] => inputsOf(plan.nodesById[id]!).flatMap((one) => [one, ...below(one)]);
  const reads = (id: string) => {
    const node = plan.nodesById[id]!;
    return node.kind === 'task' && (node.externalInputs ?? []).some((key) => external.has(key));
  };
  const isReached = (id: string) => below(id).some((one) => sources.has(one) || reads(one)) || reads(id);
  const reached = nodesOf(plan).filter(({ id }) => isReached(id));
  return {
    reached: reached.map(({ id }) => nodeIndex(id)),
    results: nodesOf(plan).flatMap(({ id }) => (isReached(id) || sources.has(id) ? [nodeIndex(id)] : [])),
    sourcesOf: (id: string) => [...new Set(below(id).filter((one) => sources.has(one)))],
  };
}

/** A list of steps, each with some of those before it by `inputs` and by arguments. */
const stepList = fc
  .array(fc.record({ inputs: fc.array(fc.nat(), { maxLength: 3 }), named: fc.array(fc.nat(), { maxLength: 3 }) }), {
    minLength: 1,
    maxLength: 9,
  })
  .map((drafts) => ({
    goal: 'Steps',
    steps: drafts.map(({ inputs, named }, at) => ({
      context_key: `k${at}`,
      task_objective: `Step ${at}`,
      inputs: at === 0 ? ['outside'] : inputs.map((one) => `k${one % at}`),
      parameters: Object.fromEntries(
        named.map((one, place) => [`a${place}`, at === 0 ? one : { deep: [`result_from_step_k${one % at}`] }]),
      ),
    })),
  }));

describe('untrusted values', () => {
  test.each([
    ['trees', planTree.map((root) => ({ goal: 'A tree', plan: root }))],
    ['lists of steps', stepList],
  ] as const)('reach what a naive walk over the edges of %s reaches, and name its sources', (_, documents) => {
    fc.assert(
      fc.property(documents as fc.Arbitrary<object>, fc.nat(), fc.boolean(), (document, chosen, isOutside) => {
        const plan = planIn(document, ['outside']);
        const sources = new Set(nodesOf(plan).flatMap(({ id }, at) => ((chosen >> (at % 30)) & 1 ? [id] : [])));
        const oracle = naive(plan, sources, new Set(isOutside ? ['outside'] : []));
        const found = findUntrusted(
          plan,
          {
            sourceOf: (id) => (sources.has(id) ? 'web page' : undefined),
            external: isOutside ? { outside: 'a result' } : {},
          },
          () => true,
        );
        expect(Object.keys(found.reached).map(Number)).toEqual(oracle.reached.toSorted((a, b) => a - b));
        expect(found.results).toEqual(oracle.results.toSorted((a, b) => a - b));
        for (const task of plan.tasks) {
          const text = found.reached[nodeIndex(task.id)]?.join('\n') ?? '';
          const named = [...text.matchAll(/node_\d+(?= \(web page\))/g)].map(([id]) => id);
          const all = oracle.sourcesOf(task.id);
          expect(all).toEqual(expect.arrayContaining([...new Set(named)]));
          if (all.length < 3) expect([...new Set(named)].toSorted()).toEqual(all.toSorted());
        }
      }),
      RUNS,
    );
  });

  const step = (context_key: string, over: object = {}) => ({
    context_key,
    task_objective: `Do ${context_key}`,
    ...over,
  });
  const pay = (parameters: object, inputs: readonly string[] = []) =>
    planIn(
      {
        goal: 'Pay',
        steps: ['a', 'b', 'c', 'd', 'e'].map((key) => step(key)).concat(step('pay', { parameters, inputs })),
      },
      ['bill'],
    );
  const linesFor = (plan: CompiledPlan, ids: readonly string[], more: object = {}) =>
    findUntrusted(plan, { sourceOf: (id) => (ids.includes(id) ? 'web page' : undefined), ...more }, () => true)
      .reached[5];

  test.each<[string, readonly string[] | undefined, ReturnType<typeof linesFor>]>([
    ['a trusted input', linesFor(pay({ amount: 'result_from_step_a' }), ['node_2']), undefined],
    [
      'an argument',
      linesFor(pay({ amount: 'result_from_step_a' }), ['node_1']),
      ['amount comes from node_1 (web page)'],
    ],
    [
      'a deep argument, and an input beside it',
      linesFor(pay({ to: [{ id: 'result_from_step_1' }] }, ['b']), ['node_1', 'node_2']),
      ['to.0.id comes from node_1 (web page)', 'an input comes from node_2 (web page)'],
    ],
    [
      'many sources',
      linesFor(pay({}, ['a', 'b', 'c', 'd', 'e']), ['node_1', 'node_2', 'node_3', 'node_4', 'node_5']),
      ['an input comes from node_1 (web page), node_2 (web page), node_3 (web page) and more'],
    ],
    [
      'many arguments',
      linesFor(pay(Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((key) => [key, 'result_from_step_a']))), [
        'node_1',
      ])?.slice(4),
      ['5 comes from node_1 (web page)', '4 more arguments are untrusted'],
    ],
    [
      'a value from outside the plan',
      linesFor(pay({ amount: 'result_from_step_bill' }), [], { external: { bill: 'an untrusted result' } }),
      ['amount comes from context bill (an untrusted result)'],
    ],
    [
      'a file that it reads, beside an argument',
      linesFor(pay({ amount: 'result_from_step_a' }), ['node_1'], { readOf: () => 'file:out.json' }),
      ['reads file:out.json', 'amount comes from node_1 (web page)'],
    ],
    [
      'a plan whose author had read one',
      linesFor(pay({ amount: 3 }), [], { written: 'node_4 (web page)' }),
      ['written by a model that had read node_4 (web page)'],
    ],
    [
      'an argument whose name would hide the line',
      linesFor(pay({ ['x\n\u202eamount']: 'result_from_step_a' }), ['node_1'])?.flatMap((line) => line.split('\n')),
      ['x \\u202eamount comes from node_1 (web page)'],
    ],
  ])('%s', (_, lines, expected) => expect(lines).toEqual(expected));

  test('are followed through 20,000 nodes, with one input each and with all', () => {
    const keys = Array.from({ length: 20_000 }, (_, at) => `k${at}`);
    const chain = keys.map((key, at) => step(key, { inputs: at === 0 ? [] : [keys[at - 1]] }));
    const all = step('all', { inputs: keys, parameters: { from: keys.map((key) => `result_from_step_${key}`) } });
    const options = { isStep: true, limits: { nodes: 20_001 } };
    const compiled = compilePlan({ goal: 'Long', steps: [...chain, all] }, options);
    if (!compiled.ok) throw new Error(compiled.issues[0]?.message);
    const { reached, results } = findUntrusted(compiled.plan, { sourceOf: () => 'web page' }, () => true);
    expect([Object.keys(reached).length, results.length]).toEqual([20_000, 20_001]);
    expect(reached[20_000]).toHaveLength(6);
  });
});
