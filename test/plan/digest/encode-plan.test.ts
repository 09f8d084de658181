import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, decodePlan, encodePlan } from '../../../src/plan/index.ts';
import { RUNS, planTree } from '../arbitraries.ts';
import { combine, compiled, task } from '../example-plans.ts';
import { validPlans } from '../plan-fixtures.ts';
import type { CompiledPlan, JsonValue, StoredPlan } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

function storedPart({
  nodesById: _nodes,
  dependents: _dependents,
  digest: _digest,
  ...stored
}: CompiledPlan): StoredPlan {
  return stored;
}

describe('the stored form', () => {
  test('is the canonical JSON of the plan without what follows from it, and its hash is the digest', () => {
    fc.assert(
      fc.property(planTree, (root) => {
        const plan = compiled(root);
        const bytes = encodePlan(plan);
        expect(new TextDecoder().decode(bytes)).toBe(canonicalJson(storedPart(plan) as unknown as JsonValue));
        expect(sha256(bytes)).toBe(plan.digest);
        expect(decodePlan(bytes)).toEqual({ ok: true, plan });
      }),
      RUNS,
    );
  });

  test('has every field of a plan in its place', () => {
    const key = 'k'.repeat(43);
    const plan: StoredPlan = {
      version: 1,
      goal: 'g "quoted"',
      root: 'node_2',
      complexity: 'high',
      estimatedMinutes: 2.5,
      external: ['É', 'a'],
      tasks: [
        {
          id: 'node_1',
          key,
          kind: 'task',
          task: 't',
          hint: 'h',
          context: { '10': 1, '9': 2 },
          capability: 'c',
          arguments: [1],
          agent: 'a',
          contextKey: 'k',
          action: 'x',
          description: 'd',
          expectedOutput: 'e',
          successCriteria: 's',
          inputTypes: { b: 'B', a: 'A' },
          displayName: 'n',
          dependsOn: [],
        },
      ],
      combines: [
        {
          id: 'node_2',
          key,
          kind: 'combine',
          operator: 'COLOCATE',
          inputs: ['node_1', 'node_1'],
          dependsOn: ['node_1'],
          displayName: 'n',
          colocate: { upstream: 1, downstream: 2, strand: 'same', operation: 'within', output: 'right' },
        },
      ],
    };
    expect(new TextDecoder().decode(encodePlan(plan))).toBe(canonicalJson(plan as unknown as JsonValue));
    expect(decodePlan(encodePlan(plan))).toMatchObject({
      ok: true,
      plan: { ...plan, dependents: { node_1: ['node_2'], node_2: [] } },
    });
  });

  test('a key is the hash of what the node means', () => {
    const plan = compiled(
      combine('COLOCATE', task('A', { hint: 'h', context: { b: 1, a: 2 } }), task('B', { input: task('C') }), {
        upstream: 5,
      }),
    );
    const [a, c, b, root] = ['node_1', 'node_2', 'node_3', 'node_4'].map((id) => plan.nodesById[id]!.key);
    const keyOf = (meaning: JsonValue): string =>
      createHash('sha256').update(canonicalJson(meaning)).digest('base64url');
    expect(a).toBe(keyOf([[], { task: 'A', hint: 'h', context: { a: 2, b: 1 } }]));
    expect(b).toBe(keyOf([[c!], { task: 'B' }]));
    expect(root).toBe(
      keyOf([
        [a!, b!],
        'COLOCATE',
        { upstream: 5, downstream: 0, strand: 'both', operation: 'overlap', output: 'left' },
      ]),
    );
  });

  test('a node longer than the room for short ones has its key all the same', () => {
    const text = 'é'.repeat(5_000);
    const key = createHash('sha256')
      .update(canonicalJson([[], { task: text }]))
      .digest('base64url');
    expect(compiled(task(text)).tasks[0]!.key).toBe(key);
  });
});

describe('foreign bytes', () => {
  const good = JSON.parse(new TextDecoder().decode(encodePlan(compiled(combine('UNION', task('A'), task('B')))))) as {
    [key: string]: JsonValue;
  };
  const tasks = good['tasks'] as readonly { readonly [key: string]: JsonValue }[];
  const combines = good['combines'] as readonly { readonly [key: string]: JsonValue }[];

  test.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', 'plan'],
    ['no object', '[]'],
    ['white space', JSON.stringify(good, null, 1)],
    ['another order of keys', JSON.stringify({ version: 1, ...good })],
    ['another version', canonicalJson({ ...good, version: 2 })],
    ['no goal', canonicalJson({ ...good, goal: null })],
    ['another root', canonicalJson({ ...good, root: 'node_4' })],
    ['a complexity that is a number', canonicalJson({ ...good, complexity: 5 })],
    ['no tasks', canonicalJson({ ...good, tasks: {} })],
    ['a missing node', canonicalJson({ ...good, tasks: tasks.slice(1) })],
    ['a node twice', canonicalJson({ ...good, tasks: [tasks[0]!, tasks[0]!] })],
    ['nodes out of order', canonicalJson({ ...good, tasks: tasks.toReversed() })],
    ['an unknown field', canonicalJson({ ...good, tasks: [{ ...tasks[0]!, effect: 'read' }, tasks[1]!] })],
    ['an unknown top-level field', canonicalJson({ ...good, options: {} })],
    ['a text that is a number', canonicalJson({ ...good, tasks: [{ ...tasks[0]!, hint: 5 }, tasks[1]!] })],
    ['a later dependency', canonicalJson({ ...good, tasks: [{ ...tasks[0]!, dependsOn: ['node_2'] }, tasks[1]!] })],
    ['a strange id', canonicalJson({ ...good, tasks: [{ ...tasks[0]!, id: '__proto__' }, tasks[1]!] })],
    ['another operator', canonicalJson({ ...good, combines: [{ ...combines[0]!, operator: 'NO_OPERATOR' }] })],
    ['no parameters of COLOCATE', canonicalJson({ ...good, combines: [{ ...combines[0]!, operator: 'COLOCATE' }] })],
    ['an unknown field of a combine', canonicalJson({ ...good, combines: [{ ...combines[0]!, effect: 'read' }] })],
    ['parameters of another operator', canonicalJson({ ...good, combines: [{ ...combines[0]!, colocate: {} }] })],
    [
      'other dependencies than inputs',
      canonicalJson({ ...good, combines: [{ ...combines[0]!, dependsOn: ['node_1'] }] }),
    ],
    ['a lone surrogate', canonicalJson(good).replace('"A"', '"\\ud800"')],
    [
      'a key that closes its quotes',
      canonicalJson({ ...good, tasks: [{ ...tasks[0]!, key: 'k","x":"y' }, tasks[1]!] }),
    ],
  ])('%s is refused with a message', (_, text) => {
    const decoded = decodePlan(new TextEncoder().encode(text));
    expect(decoded).toMatchObject({ ok: false, message: expect.stringMatching(/^This is no stored plan: .+\.$/) });
  });

  test('bytes that are no UTF-8 are refused', () => {
    expect(decodePlan(new Uint8Array([0xff, 0x00]))).toMatchObject({ ok: false });
  });

  test('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => new TextEncoder().encode(text)),
        ),
        (bytes) => {
          expect(decodePlan(bytes).ok).toBe(false);
        },
      ),
      RUNS,
    );
  });

  test('what was changed after approval has another digest', () => {
    for (const { text } of validPlans()) {
      const result = compiledPlan(text);
      const changed = decodePlan(encodePlan({ ...result.plan, goal: `${result.plan.goal}!` }));
      expect(changed.ok && changed.plan.digest).not.toBe(result.plan.digest);
    }
  });
});
