/** A document costs no more than its bytes: the time to refuse it or to compile it, and the size of what is said of it. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan } from '../../src/plan/index.ts';
import { briefJson, visible } from '../../src/plan/text/index.ts';
import { HOSTILE_PLANS } from '../support/hostile-plans.ts';

/** Ten times the time of the processor that a document may take which is compiled without a thread. */
const LIMIT_MS = 10 * 100;
/** A hundred problems of at most 2,000 characters, and what belongs to them. */
const MOST_WORDS = 500_000;

function checkCost(document: unknown): void {
  const before = process.cpuUsage();
  const result = compilePlan(document);
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  const words = JSON.stringify(result.ok ? result.warnings : result.issues);
  expect(ms, `${briefJson(document, 2_000)} took ${Math.round(ms)} ms`).toBeLessThan(LIMIT_MS);
  expect(words.length).toBeLessThan(MOST_WORDS);
}

const many = <T>(of: fc.Arbitrary<T>, most: number) => fc.array(of, { maxLength: most });
const times = (most: number) => fc.oneof(fc.nat(3), fc.nat(most));

describe('YAML', () => {
  const ALIASES = fc.constantFrom('arguments', 'args', 'parameters', 'context', 'inputs', 'dependencies', 'depends_on');
  const WORDS = fc.constantFrom('task_objective', 'task', 'capability', 'context_key', 'colocate', 'goal', 'zzz', '?');
  const alias = fc.nat(9).map((at) => `*a${at}`);
  const flow = fc.oneof(
    alias,
    many(alias, 12).map((each) => `[${each.join(', ')}]`),
    many(alias, 6).map((each) => `{ ${each.map((one, at) => `k${at}: ${one}`).join(', ')} }`),
    times(3_000).map((length) => `"${'lol'.repeat(length)}"`),
    fc.constantFrom('1', '~', '""', '[[[[]]]]', '{ a: { b: c } }', '"{{a}}"', '"result_from_step_1"', '\'{"a": 1}\''),
  );
  const anchored = fc.tuple(fc.boolean(), flow).map(([isOpen, value]) => (at: number) => {
    return `x${at}: &a${at} ${isOpen ? `[${value}, *a${at}]` : value}`;
  });
  const step = fc
    .tuple(many(fc.tuple(fc.oneof(ALIASES, WORDS), flow), 6), fc.boolean())
    .map(
      ([fields, isOpen]) =>
        `- &s { ${fields.map(([key, value]) => `${key}: ${value}`).join(', ')}${isOpen ? ', args: *s' : ''} }`,
    );
  const document = fc
    .tuple(many(anchored, 10), many(step, 30), fc.constantFrom('steps', 'nodes', 'plan'))
    .map(([anchors, steps, key]) => ['goal: g', ...anchors.map((one, at) => one(at)), `${key}:`, ...steps].join('\n'));

  test('of any aliases', () => {
    fc.assert(fc.property(document, checkCost), { numRuns: 100, seed: 20_261 });
  });
});

test.each(Object.entries(HOSTILE_PLANS))('%s: refused', (_, text) => {
  checkCost(text);
  expect(compilePlan(text).ok).toBe(false);
});

describe('JSON', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'task',
      'arguments',
      'args',
      'inputs',
      'dependencies',
      'left',
      'right',
      'operator',
      'id',
      'colocate',
    ),
    fc.nat(3_000).map((at) => `capabilitx${at}`),
    fc.tuple(fc.constantFrom('k', "'", '\u202e', '\\', '&'), times(20_000)).map(([one, length]) => one.repeat(length)),
  );
  const leaf = fc.oneof(
    fc.constantFrom(1, null, true, '', 'a', 'UNION', 1e300, '{"a":[1]}', 'n1', 'n2'),
    fc
      .tuple(fc.constantFrom('{{a}} ', 'result_from_step_1 ', '${', '[[', '"', '\ud800', '1,', '#E1'), times(5_000))
      .map(([one, length]) => one.repeat(length)),
  );
  const value = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      many(tie('value'), 8),
      many(fc.tuple(name, tie('value')), 8).map((entries) => Object.fromEntries(entries)),
      times(200).map((levels) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 1)),
    ),
  })).value;
  const node = many(fc.tuple(name, value), 12).map((entries) => ({ task: 'T', ...Object.fromEntries(entries) }));
  const crowd = fc.tuple(node, times(2_000)).map(([one, count]) => ({
    ...one,
    ...Object.fromEntries(Array.from({ length: count }, (_, at) => [`objectivx${at}`, at])),
  }));
  /** Nodes by ids, each twice the one before: as a tree it would be 2 to the power of its levels. */
  const ladder = times(60).map((levels) =>
    Array.from({ length: levels }, (_, at) =>
      at === 0 ? { id: 'n0', task: 'T' } : { id: `n${at}`, operator: 'UNION', left: `n${at - 1}`, right: `n${at - 1}` },
    ),
  );
  const nodes = fc.oneof(many(fc.oneof(node, crowd), 8), ladder);
  const document = fc
    .tuple(nodes, fc.constantFrom('steps', 'nodes', 'plan'), fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1 })))
    .map(([list, key, part]) => {
      const text = JSON.stringify({ goal: 'g', [key]: key === 'plan' ? list[0] : list });
      return text.slice(0, Math.ceil(Math.min(256 * 1024, text.length) * part));
    });

  test('of any keys and values, whole and cut', () => {
    fc.assert(fc.property(document, checkCost), { numRuns: 100, seed: 20_262 });
  });

  test('of which most keys are not known', () => {
    for (const where of ['steps', 'plan']) {
      const crowded = {
        task: 'T',
        ...Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`objectivx${at}`, at])),
      };
      checkCost(JSON.stringify({ goal: 'g', [where]: where === 'steps' ? [crowded] : crowded }));
    }
  });

  test('of which many names are nearly those of others', () => {
    const id = (at: number) => `${'n'.repeat(50)}${at}`;
    const near = Array.from({ length: 1_000 }, (_, at) => ({
      id: id(at),
      operator: 'OR',
      left: `x${id(at)}`,
      right: 'y',
    }));
    checkCost(JSON.stringify({ goal: 'g', nodes: near }));
  });
});

describe('a value in a message', () => {
  test('is the JSON of it where that is short', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = visible(JSON.stringify(value).replaceAll(/(?<=[:,[]|^)-0(?=[,\]}]|$)/g, '0'));
        if (json.length <= 80) expect(briefJson(value, 480)).toBe(json);
        expect(briefJson(value, 20).length).toBeLessThanOrEqual(20 * 6);
      }),
    );
  });

  test.each([
    ['a circle', () => Object.assign([] as unknown[], { 0: undefined })],
    ['a list that doubles', () => Array.from({ length: 60 }).reduce<unknown>((inner) => [inner, inner], 'x')],
    ['a long text', () => 'x'.repeat(1_000_000)],
  ])('is cut: %s', (_, made) => {
    const value = made();
    if (Array.isArray(value)) value.push(value);
    expect(briefJson(value, 40)).toMatch(/^.{39}…$/u);
  });
});
