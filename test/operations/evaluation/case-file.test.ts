/** A case that is added to a file: the others stay as they are written, and two that add at once lose none. */

import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendCase, caseOfPlan, LIMITS, readCases } from '../../../src/operations/evaluation/index.ts';
import { gradeAttempt } from '../../../src/operations/evaluation/graders.ts';
import { type JsonValue } from '../../../src/plan/index.ts';
import { catalogueOf, search } from '../../support/scripted-planner.ts';
import { fileFolder } from '../../support/folders.ts';
import { compiledPlan } from '../../support/plans.ts';

const dir = fileFolder('case-file');

let files = 0;
const fileOf = (content: string | undefined, ending = '.json') => {
  const file = join(dir, `cases-${++files}${ending}`);
  if (content !== undefined) writeFileSync(file, content);
  return file;
};
const named = (name: string) => ({ name, goal: 'Find genes', expect: { size: { max: 3 } } });
const namesIn = (file: string) => readCases(readFileSync(file, 'utf8'), file).cases.map(({ name }) => name);
const OLD = JSON.stringify(named('old'));

test.each<[content: string | undefined, ending: string, begin: string]>([
  [undefined, '.json', '[\n'],
  ['', '.json', '[\n'],
  ['[]', '.json', '['],
  [`[ ${OLD} ]\n`, '.json', `[ ${OLD},`],
  [`[\r\n${OLD}\r\n]`, '.json', `[\r\n${OLD},`],
  [undefined, '.yaml', '- name: new'],
  ['# ours\n- name: old # kept\n  goal: Find it\n  expect: {}\n', '.yml', '# ours\n- name: old # kept\n'],
])('%j in a file %s gets a case behind it', async (content, ending, begin) => {
  const file = fileOf(content, ending);
  const before = content?.includes('old') === true ? ['old'] : [];
  expect(await appendCase(file, named('new'))).toBe(before.length + 1);
  expect(readFileSync(file, 'utf8').startsWith(begin)).toBe(true);
  expect(namesIn(file)).toEqual([...before, 'new']);
  expect(existsSync(`${file}.new`)).toBe(false);
});

test.each<[content: string, told: string]>([
  [`[${OLD}]`, 'has a case "old" already; give this one another name'],
  ['{"plan": 1}', 'expected a list of cases'],
  ['[{"name": "x"}]', '$[0].goal: '],
  ['[', 'neither JSON nor YAML'],
  [JSON.stringify(Array.from({ length: LIMITS.cases }, (_, at) => named(`c${at}`))), '501 cases'],
])('%# is left as it is', async (content, told) => {
  const file = fileOf(content);
  await expect(appendCase(file, named('old'))).rejects.toThrow(told);
  expect(readFileSync(file, 'utf8')).toBe(content);
  expect(existsSync(`${file}.new`)).toBe(false);
});

describe('two at once', () => {
  test('many that add lose nothing: each is there, or its sender was told', async () => {
    const file = fileOf(`[${OLD}]`);
    const tried = Array.from({ length: 20 }, (_, at) => `added-${at}`);
    const results = await Promise.allSettled(tried.map((name) => appendCase(file, named(name))));
    const added = tried.filter((_, at) => results[at]?.status === 'fulfilled');
    expect(added.length).toBeGreaterThan(0);
    expect(namesIn(file).toSorted()).toEqual(['old', ...added].toSorted());
    for (const result of results) {
      if (result.status === 'rejected') expect(String(result.reason)).toMatch(/is adding a case|changed meanwhile/);
    }
  });

  test('a file beside it, of one that was killed, is named', async () => {
    const file = fileOf(`[${OLD}]`);
    writeFileSync(`${file}.new`, '');
    await expect(appendCase(file, named('new'))).rejects.toThrow(`${file}.new is there`);
    expect(existsSync(`${file}.new`)).toBe(true);
  });
});

test('a link stays a link, and the file keeps its mode', async () => {
  const file = fileOf(`[${OLD}]`);
  chmodSync(file, 0o600);
  const beside = join(dir, 'link.json');
  symlinkSync(file, beside);
  await appendCase(beside, named('new'));
  expect(namesIn(file)).toEqual(['old', 'new']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

const task = (text: string, more: object = {}) => ({
  ...{ task: `Find ${text}`, capability: 'search', arguments: { text } },
  ...more,
});
const catalogue = catalogueOf([search]);

describe('a case out of a plan', () => {
  test.each<[object, JsonValue[], object]>([
    [{ operator: 'MINUS', left: task('a', { display_name: 'A' }), right: task('b') }, [], {}],
    [task('a', { input: { operator: 'UNION', left: task('a'), right: task('b') } }), ['hg38'], { answers: ['hg38'] }],
  ])('%j', (plan, answers, fields) => {
    const compiled = compiledPlan({ goal: 'Find genes', plan }, { catalogue });
    const made = caseOfPlan('team/plan 1', compiled.plan, answers);
    if (typeof made === 'string') throw new Error(made);
    expect(made).toMatchObject({ name: 'team-plan-1', goal: 'Find genes', ...fields });
    const { cases } = readCases(JSON.stringify([made]), 'cases.json');
    const { tasks } = compiled.plan;
    const seen = { plan: compiled.plan, tasks, way: 'at-once', asked: 0, catalogue } as const;
    expect(gradeAttempt(seen, cases[0]!.expect).filter(({ why }) => why !== undefined)).toEqual([]);
  });

  test('steps that take results from outside have their keys, and no values', () => {
    const steps = [{ context_key: 'a', capability: 'search', task_objective: 'Find', inputs: ['samples'] }];
    const compiled = compiledPlan({ goal: 'Find genes', steps }, { contextKeys: ['samples', 'other'] });
    expect(caseOfPlan('x', compiled.plan, [])).toMatchObject({
      context: { samples: null },
      expect: { sameAs: { steps: [{ context_key: 'a' }, {}] } },
    });
  });

  test('a plan that is larger than a model may write gives none', () => {
    const chain = Array.from({ length: 80 }).reduce<object>((input) => task('a', { input }), task('a'));
    const compiled = compiledPlan({ goal: 'Find genes', plan: chain }, { catalogue });
    expect(caseOfPlan('x', compiled.plan, [])).toMatch(/^it is no plan that a model may write: \$/);
  });
});
