/** One beyond each bound of a document: docs/bounds.md says what happens then. */

import { describe, expect, test } from 'vitest';
import { compilePlan, FILE_LIMITS, MODEL_LIMITS } from '../../src/plan/index.ts';
import { IssueList, ROOT } from '../../src/plan/issues/issue-list.ts';

const LEAF = { task: 'A' };

function levelsOfNodes(levels: number): object {
  let plan: object = LEAF;
  for (let level = 1; level < levels; level++) plan = { operator: 'UNION', left: plan, right: LEAF };
  return { goal: 'x', plan };
}

function levelsInValue(levels: number): object {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return { goal: 'x', plan: { ...LEAF, context: { deep: value } } };
}

function steps(count: number): object {
  return { goal: 'x', steps: Array.from({ length: count }, (_, at) => ({ step_id: at + 1, task: `Task ${at}` })) };
}

function codesOf(document: unknown, limits = FILE_LIMITS): readonly string[] {
  const result = compilePlan(document, { limits });
  return result.ok ? [] : result.issues.map(({ code }) => code);
}

describe.each([
  ['of a file', FILE_LIMITS],
  ['of a model', MODEL_LIMITS],
])('a document %s', (_, limits) => {
  test.each([
    ['levels of nodes', 'too-deep', () => levelsOfNodes(limits.depth + 1)],
    ['nodes', 'too-many-nodes', () => steps(limits.nodes + 1)],
    ['bytes', 'too-large', () => ' '.repeat(limits.bytes + 1)],
    ['levels in one value', 'value-too-deep', () => levelsInValue(limits.valueDepth + 1)],
  ])('with one more than its bound of %s is refused: %s', (_what, code, document) => {
    expect(codesOf(document(), limits)).toContain(code);
  });
});

test.each([
  ['error', 101, '1 more error not listed'],
  ['note', 101, '1 more note not listed'],
] as const)('of 101 issues of the severity %s 100 are listed, and one is counted', (severity, count, told) => {
  const issues = new IssueList();
  for (let at = 0; at < count; at++) issues.add(severity, 'invalid-json', ROOT, () => ({ message: 'Wrong.' }));
  const listed = issues.list();
  expect(listed).toHaveLength(101);
  expect(listed.at(-1)).toMatchObject({ code: 'more-issues', message: expect.stringContaining(told) as string });
});
