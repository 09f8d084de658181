/** What each grader lets pass, and what it says of what it does not. */

import { expect, test } from 'vitest';
import { type CompiledPlan } from '../../../src/plan/index.ts';
import {
  GRADERS,
  gradeAttempt,
  type Expectations,
  type GraderName,
} from '../../../src/operations/evaluation/graders.ts';
import type { Seen } from '../../../src/operations/evaluation/seen.ts';
import { catalogueOf, erase, search } from '../../support/scripted-planner.ts';
import { compiledPlan } from '../../support/plans.ts';

const catalogue = catalogueOf([search, erase]);
const task = (text: string) => ({ task: `Find ${text}`, capability: 'search', arguments: { text } });
const union = <Left, Right>(left: Left, right: Right) => ({
  goal: 'Find genes',
  plan: { operator: 'UNION', left, right },
});
const DOCUMENT = union(task('kinases'), task('receptors'));

const planOf = (document: object): CompiledPlan => compiledPlan(document, { catalogue }).plan;

function seenOf(more: Partial<Seen> = {}, document: object = DOCUMENT): Seen {
  const plan = planOf(document);
  return { plan, tasks: plan.tasks, way: 'at-once', asked: 0, catalogue, ...more };
}

const ERASING = seenOf({}, union(task('kinases'), { task: 'Erase all', capability: 'erase' }));
const { plan: _, ...LOOP } = seenOf({
  steps: [
    { name: 'search', arguments: { text: 'kinases' } },
    { name: 'erase', arguments: {} },
    { name: 'search', arguments: { text: 'receptors' } },
  ],
});
const { digest } = planOf(DOCUMENT);
const ROWS: readonly [expected: Expectations, seen: Seen, why: string | undefined][] = [
  [{ valid: 'at-once' }, seenOf(), undefined],
  [{ valid: 'repaired' }, seenOf(), undefined],
  [{ valid: 'at-once' }, seenOf({ way: 'repaired' }), 'the plan is repaired, and at-once is the least'],
  [{ valid: 'fallback' }, seenOf({ way: 'fallback' }), undefined],
  [{}, seenOf({ way: 'fallback' }), 'the plan is fallback, and repaired is the least'],
  [{ digest }, seenOf(), undefined],
  [{ digest: '0'.repeat(64) }, seenOf(), `the digest is ${digest}`],
  [{ covers: ['Kinases', 'search'] }, seenOf(), undefined],
  [{ covers: ['kinases', 'exons', 'alus'] }, seenOf(), 'the plan does not name exons, alus'],
  [{ uses: ['search'] }, seenOf(), undefined],
  [{ uses: ['search', 'erase'] }, seenOf(), 'the plan does not use erase'],
  [{ avoids: ['erase'] }, seenOf(), undefined],
  [{ avoids: ['erase'] }, ERASING, 'the plan uses erase'],
  [{ effects: 'read' }, seenOf(), undefined],
  [{ effects: 'at-most-once' }, ERASING, undefined],
  [{ effects: 'idempotent' }, ERASING, 'idempotent is the most, and above it is node_2 (erase: at-most-once)'],
  [{ size: { min: 3, max: 3 } }, seenOf(), undefined],
  [{ size: { max: 2 } }, seenOf(), '3 nodes, expected 0 to 2'],
  [{ size: { min: 4 } }, seenOf(), '3 nodes, expected at least 4'],
  [{ asks: false }, seenOf(), undefined],
  [{ asks: true }, seenOf(), '0 questions were asked'],
  [{ asks: 1 }, seenOf({ asked: 1 }), undefined],
  [{ asks: 1 }, seenOf({ asked: 2 }), '2 questions, expected 1 to 1'],
  [{ asks: { max: 1 } }, seenOf({ asked: 1 }), undefined],
  [{ sameAs: union(task('receptors'), task('kinases')) }, seenOf(), undefined],
  [
    { sameAs: union(task('receptors'), task('exons')) },
    seenOf(),
    'the plan means another thing: in round 1 of 32 it gives other records',
  ],
  [{ size: { max: 2 } }, LOOP, '3 steps, expected 0 to 2'],
  [{ size: { min: 3 } }, LOOP, undefined],
  [{ steps: ['search', 'search'] }, LOOP, undefined],
  [{ steps: ['erase', { name: 'search', arguments: { text: 'receptors' } }] }, LOOP, undefined],
  [{ steps: [{ name: 'search', arguments: { text: 'exons' } }] }, LOOP, 'no step search {"text":"exons"} after 0 of '],
  [{ steps: ['search', 'erase', 'erase'] }, LOOP, 'no step erase after 2 of search, erase, search'],
  [{ steps: ['search'] }, { ...LOOP, steps: [] }, 'no step search after 0 of none'],
  [{ digest }, LOOP, 'a loop makes no plan'],
  [{ sameAs: DOCUMENT }, LOOP, 'a loop makes no plan'],
  [{ sameAs: { goal: 'x' } }, seenOf(), 'the plan of the case does not compile: $.plan'],
];

test.each(ROWS)('%j', (expected, seen, why) => {
  const names = Object.keys(expected);
  const [grade] = gradeAttempt(seen, expected).filter(({ grader }) => names.length === 0 || grader === names[0]);
  if (why === undefined) expect(grade).toEqual({ grader: names[0] });
  else expect(grade?.why?.slice(0, why.length)).toBe(why);
});

test('every grader has rows of both kinds', () => {
  const named = (passes: boolean) =>
    ROWS.filter(([, , why]) => (why === undefined) === passes).flatMap(([row]) => Object.keys(row));
  for (const name of Object.keys(GRADERS) as GraderName[]) {
    expect(named(true)).toContain(name);
    expect(named(false)).toContain(name);
  }
});
