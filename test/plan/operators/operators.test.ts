import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COLOCATE_DEFAULTS, combineSets, createSet } from '../../../src/plan/algebra/index.ts';
import {
  compilePlan,
  nodeSentence,
  operatorNames,
  plan,
  planSentence,
  readOperatorName,
  renderMarkdown,
  renderMermaid,
  renderTree,
} from '../../../src/plan/index.ts';
import { EVERY_OPERATOR, factsOf, namesOf } from '../../../src/plan/operators/index.ts';
import { REFUSED_NAMES } from '../../../src/plan/operators/operators.ts';
import { locatedList } from '../algebra/arbitraries.ts';
import { RUNS } from '../arbitraries.ts';
import { combine, compiled, task } from '../example-plans.ts';
import type { ResultSet } from '../../../src/plan/algebra/index.ts';
import type { Operator } from '../../../src/plan/index.ts';
import { compiledPlan } from '../../support/plans.ts';

const FIXTURE = new URL('../../fixtures/plans/valid/all-operators.json', import.meta.url);

describe('names', () => {
  test.each(EVERY_OPERATOR)('%s goes by all of its names, in any case, with - or space for _', (operator) => {
    for (const name of namesOf(operator)) {
      for (const written of [name, ` ${name.toLowerCase()}\t`, name.replaceAll('_', '-'), name.replaceAll('_', ' ')])
        expect([written, readOperatorName(written)]).toEqual([written, { kind: 'operator', operator }]);
    }
  });

  test('no name belongs to two operators, or to one and to the names that are refused', () => {
    const names = [...operatorNames(), ...REFUSED_NAMES.keys()];
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual(names.map((name) => name.trim().toUpperCase().replaceAll(/[-\s]/g, '_')));
  });

  test.each([
    ['NEAR', 'COLOCATE'],
    ['overlaps', 'COLOCATE'],
    ['Overlap', 'COLOCATE'],
    ['SUBTRACT', 'MINUS RMINUS'],
    ['DIFFERENCE', 'MINUS RMINUS'],
    ['nor', 'MINUS UNION'],
    ['NAND', 'MINUS INTERSECT'],
    ['closest', 'COLOCATE'],
    ['AND NOT', 'MINUS'],
    ['without', 'MINUS'],
    ['not near', 'COLOCATE'],
    ['inside', 'COLOCATE'],
    ['merge', 'UNION INTERSECT'],
    ['XNOR', 'INTERSECT'],
  ])('%s is told which operators are meant: %s', (name, operators) => {
    const reading = readOperatorName(name);
    expect(reading.kind).toBe('unknown');
    expect(operatorsIn(reading.kind === 'unknown' ? reading.hint : '')).toEqual(operators.split(' '));
    const result = compilePlan({ goal: 'g', plan: combine(name, task('A'), task('B')) });
    const message = result.ok ? '' : result.issues[0]!.message;
    expect(message).toContain(reading.kind === 'unknown' ? `is no operator.${reading.hint} Use "` : '');
  });

  test.each([...REFUSED_NAMES])('%s gets advice, and no guess that would change the answer', (name, { advice }) => {
    const reading = readOperatorName(name.toLowerCase());
    expect(reading).not.toHaveProperty('operator');
    expect(JSON.stringify(reading)).not.toContain('Did you mean');
    expect(operatorsIn(advice).length).toBeGreaterThan(0);
    expect(advice).toMatch(/\.$/);
  });

  test('what XOR, NOR and NAND are told gives what they mean', () => {
    const set = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd')).map((ids) => createSet(ids.map((id) => ({ id }))));
    fc.assert(
      fc.property(set, set, set, (left, right, third) => {
        const [either, both] = [combined('UNION', left, right), combined('INTERSECT', left, right)];
        const isIn = (of: ResultSet, id: string): number => Number(of.ids.includes(id));
        const ids = (wanted: (sides: number) => boolean, from: readonly string[]): string[] =>
          from.filter((id) => wanted(isIn(left, id) + isIn(right, id)));
        expect(combined('MINUS', either, both).ids).toEqual(ids((sides) => sides === 1, either.ids));
        expect(combined('MINUS', third, either).ids).toEqual(ids((sides) => sides === 0, third.ids));
        expect(combined('MINUS', third, both).ids).toEqual(ids((sides) => sides < 2, third.ids));
      }),
      RUNS,
    );
  });
});

describe('the facts are what the algebra does', () => {
  // The records of the two sides have ids of their own but for those that both have.
  const sets = fc
    .tuple(locatedList, locatedList, locatedList)
    .map(([left, right, both]) => [left, right].map((own, side) => createSet(sided(own, side, both))));

  test.each(EVERY_OPERATOR)('%s is symmetric or not', (operator) => {
    const isSymmetric = ([left, right]: readonly ResultSet[]): boolean => {
      const [one, other] = [combined(operator, left!, right!), combined(operator, right!, left!)];
      return one.ids.join() === other.ids.join();
    };
    const { failed } = fc.check(fc.property(sets, isSymmetric), RUNS);
    expect(!failed).toBe(factsOf(operator).symmetric);
  });

  test.each(EVERY_OPERATOR)('%s keeps the side that it names', (operator) => {
    const { keptSide } = factsOf(operator);
    const keepsOnly =
      (kept: 'left' | 'right') =>
      ([left, right]: readonly ResultSet[]): boolean => {
        const ids = new Set((kept === 'left' ? left! : right!).ids);
        return combined(operator, left!, right!, kept).ids.every((id) => ids.has(id));
      };
    const kept = (['left', 'right'] as const).filter(
      (side) => !fc.check(fc.property(sets, keepsOnly(side)), RUNS).failed,
    );
    const expected = { left: ['left'], right: ['right'], output: ['left', 'right'] };
    // Records of an intersection are those of either side; only a union has what one side lacks.
    if (keptSide === 'both') expect(['', 'left,right']).toContain(kept.join());
    else expect(kept).toEqual(expected[keptSide]);
  });
});

describe('every operator is shown', () => {
  const all = compiledPlan(readFileSync(FIXTURE));

  test('the fixture has all of them', () => {
    expect(all.plan.combines.map(({ operator }) => operator).toSorted()).toEqual([...EVERY_OPERATOR].toSorted());
  });

  test.each(EVERY_OPERATOR)('%s, in every rendering', (operator) => {
    const node = all.plan.combines.find((each) => each.operator === operator)!;
    const sentence = nodeSentence(node, all.plan);
    expect(sentence).toBe(`Keep ${factsOf(operator).phrase(...node.inputs, node.colocate)}.`);
    expect(renderTree(all.plan, { width: 500 })).toContain(
      `${node.id} ${operator}  ${factsOf(operator).phrase(...node.inputs, node.colocate)}`,
    );
    expect(renderMarkdown(all.plan)).toContain(`| operator ${operator} | read |`);
    expect(renderMermaid(all.plan)).toContain(`${node.id}{{"${node.id} ${operator}"}}`);
    expect(planSentence(compiled(combine(operator, task('x'), task('y'))))).toBe(
      `It gives ${factsOf(operator).phrase('"x"', '"y"')}.`,
    );
  });

  test.each(EVERY_OPERATOR)('%s, with sides in a diagram where they count', (operator) => {
    const diagram = renderMermaid(compiled(combine(operator, task('x'), task('y'))));
    expect(diagram.includes('-->|left|')).toBe(!factsOf(operator).symmetric);
    expect(diagram.includes('-->|right|')).toBe(!factsOf(operator).symmetric);
  });

  test('no two of them are told in the same words', () => {
    const words = EVERY_OPERATOR.map(factsOf).flatMap(({ gloss, phrase, defaultName }) => [
      gloss,
      phrase('A', 'B'),
      defaultName('node_1', 'node_2'),
    ]);
    expect(new Set(words).size).toBe(words.length);
  });

  test.each(EVERY_OPERATOR)('%s, written in code', (operator) => {
    const build = plan[operator.toLowerCase() as Lowercase<Operator>];
    expect(build(plan.task('A'), plan.task('B'))).toMatchObject({ type: 'combine', operator });
  });
});

function sided(own: readonly { readonly id: string }[], side: number, both: readonly { readonly id: string }[]) {
  return [...own.map((record) => ({ ...record, id: `${side}${record.id}` })), ...both];
}

function combined(operator: Operator, left: ResultSet, right: ResultSet, output: 'left' | 'right' = 'left'): ResultSet {
  const parameters = factsOf(operator).located ? { ...COLOCATE_DEFAULTS, output } : undefined;
  const result = combineSets(operator, left, right, parameters);
  if (!result.ok) throw new Error(result.message);
  return result.set;
}

/** The operators that a text names, each once. */
function operatorsIn(text: string): string[] {
  return [...new Set(text.match(/\b[A-Z]{3,}\b/g))].filter((word) =>
    (EVERY_OPERATOR as readonly string[]).includes(word),
  );
}
