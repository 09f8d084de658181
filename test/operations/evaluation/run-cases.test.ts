/** Cases that are planned by a scripted model: what is counted, what is bought again, and how two reports compare. */

import { beforeEach, expect, test } from 'vitest';
import { compareReports, readReport, runCases, type EvalCase } from '../../../src/operations/evaluation/index.ts';
import { createFileStore, resultsIn } from '../../../src/store/index.ts';
import { catalogueOf, modelError, rank, scriptedModel, search, type Script } from '../../support/scripted-planner.ts';
import { testFolder } from '../../support/folders.ts';

let dir = '';
beforeEach(() => void (dir = testFolder('evaluation')));

const GENES: EvalCase = { name: 'genes', goal: 'Find kinases', expect: { valid: 'at-once', uses: ['search'] } };
const TASK = { json: { task: 'Find kinases', needsConversation: false } } as never;
const node = (id: string, text: string) => ({ id, task: `Find ${text}`, capability: 'search', arguments: { text } });
const PLAN = { json: { nodes: [node('kinases', 'kinases')], explanation: 'Looks for kinases.' } };
const WRONG = { json: { nodes: [{ ...node('kinases', 'kinases'), capability: 'seek' }], explanation: 'Seeks.' } };

function run(script: Script, repeat: number, cases: readonly EvalCase[] = [GENES]) {
  const model = scriptedModel(script);
  const capabilities = [search, rank];
  const catalogue = catalogueOf(capabilities, []);
  const store = resultsIn(createFileStore(dir), 'runs/o/c');
  const report = runCases(cases, { model, agents: [], capabilities, catalogue, store, repeat, sleep: async () => {} });
  return { model, report };
}

test('a second run makes no calls, and its report says the same', async () => {
  const first = await run({ extract: [TASK, TASK], write: [PLAN, PLAN] }, 2).report;
  expect(first).toMatchObject({ pass1: 1, passK: 1, reused: 0 });
  expect(first.bought).toBe(first.usage.calls);
  const { model, report } = run({}, 2);
  const second = await report;
  expect(model.asked).toEqual([]);
  expect(second).toMatchObject({ bought: 0, reused: first.bought, pass1: 1, usage: first.usage });
});

test('pass@1 counts attempts, pass@k cases', async () => {
  const { report } = run({ extract: [TASK, TASK], write: [PLAN, WRONG, PLAN] }, 2);
  const { cases, ...all } = await report;
  expect(all).toMatchObject({ pass1: 0.5, passK: 1 });
  expect(all.pass1).toBeLessThan(1);
  expect(cases[0]?.attempts.map(({ way, passed }) => [way, passed])).toEqual([
    ['at-once', true],
    ['repaired', false],
  ]);
});

test('a call that failed on its way shifts no key', async () => {
  const lost = modelError('server-error', 'RETRIABLE');
  await run({ extract: [TASK], write: [lost, PLAN] }, 1).report;
  const { model, report } = run({}, 1);
  expect(await report).toMatchObject({ bought: 0, pass1: 1 });
  expect(model.asked).toEqual([]);
});

test('a model that fails gives a fallback, which does not pass, and its reason', async () => {
  const { report } = run({ extract: [modelError('no-credit', 'CRITICAL')] }, 1);
  const [attempt] = (await report).cases[0]?.attempts ?? [];
  expect(attempt).toMatchObject({ passed: false, way: 'fallback', trouble: expect.any(String) as string });
});

test('a report is compared with an earlier one by the names of the cases', async () => {
  const report = await run({ extract: [TASK], write: [PLAN] }, 1).report;
  const now = {
    ...report,
    cases: ['a', 'b', 'c', 'd'].map((name, at) => ({ ...report.cases[0]!, name, pass1: at / 3 })),
  };
  const before = [
    { name: 'a', pass1: 1 },
    { name: 'b', pass1: 0 },
    { name: 'd', pass1: 1 },
    { name: 'e', pass1: 1 },
  ];
  const earlier = readReport(JSON.stringify({ version: 1, model: 'older', cases: before }));
  if (typeof earlier === 'string') throw new Error(earlier);
  expect(compareReports(now, earlier).changes.map(({ name, change }) => `${name} ${change}`)).toEqual([
    ...['a worse', 'b better', 'c new', 'd same', 'e gone'],
  ]);
});

test.each(['{', '{}', '{"version":2,"model":"m","cases":[]}'])('%s is no report', (text) => {
  expect(readReport(text)).toEqual(expect.any(String));
});
