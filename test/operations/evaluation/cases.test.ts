/** Files of cases: each that is right is taken, each that is not is told with its path. */

import { expect, test } from 'vitest';
import { LIMITS, readCases } from '../../../src/operations/evaluation/index.ts';

const RIGHT = { name: 'right', goal: 'Find genes', expect: { size: { max: 3 } } };

test.each<[wrong: object, told: string]>([
  [{ expect: { sise: {} } }, '$[1].expect: unknown grader "sise"; there are valid, digest, covers'],
  [{ expect: { size: { most: 3 } } }, '$[1].expect.size: unknown key "most"'],
  [{ expect: { valid: 'perhaps' } }, '$[1].expect.valid: '],
  [{ expect: { digest: 'abc' } }, '$[1].expect.digest: expected 64 lower-case hex digits'],
  [{ goals: 'x' }, '$[1]: unknown key "goals"'],
  [{ goal: ' ' }, '$[1].goal: expected a sentence'],
  [{ expect: { steps: ['search'] } }, '$[1].expect.steps: only a case with a "loop" has steps'],
  [{ loop: { gives: {} }, expect: { sameAs: {} } }, '$[1].expect.sameAs: a case with a "loop" makes no plan'],
  [{ loop: { gives: { search: [{ texts: 'x' }] } } }, '$[1].loop.gives.search[0]: '],
  [{ loop: { gives: {}, rounds: LIMITS.rounds + 1 } }, '$[1].loop.rounds: '],
  [{ name: '../x' }, '$[1].name: expected 1 to 80 letters'],
  [{ name: 'n'.repeat(LIMITS.name + 1) }, '$[1].name: expected 1 to 80 letters'],
  [{ name: 'right' }, '$[1].name: "right" is there twice'],
  [{ answers: Array.from({ length: LIMITS.answers + 1 }, () => 'yes') }, '$[1].answers: '],
])('%j is told, and the case beside it is taken', (wrong, told) => {
  const { cases, problems } = readCases(JSON.stringify([RIGHT, { ...RIGHT, name: 'wrong', ...wrong }]), 'c.json');
  expect(cases.map(({ name }) => name)).toEqual(['right']);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`c.json: ${told}`);
});

test.each<[content: string, told: string]>([
  ['{', 'c.json: neither JSON nor YAML'],
  ['{}', 'c.json: $: expected a list of cases'],
  ['[]', 'c.json: $: expected a list of cases'],
  [JSON.stringify(Array.from({ length: LIMITS.cases + 1 }, () => RIGHT)), 'c.json: $: 501 cases'],
  [' '.repeat(LIMITS.bytes + 1), 'c.json: 4194305 bytes'],
])('a file that is no list of cases is refused: %#', (content, told) => {
  const { cases, problems } = readCases(content, 'c.json');
  expect(cases).toEqual([]);
  expect(problems[0]).toContain(told);
});

test('a file may be YAML', () => {
  const { cases } = readCases('- name: genes\n  goal: Find genes\n  expect: { asks: 1, uses: [search] }\n', 'c.yaml');
  expect(cases).toEqual([{ name: 'genes', goal: 'Find genes', expect: { asks: 1, uses: ['search'] } }]);
});
