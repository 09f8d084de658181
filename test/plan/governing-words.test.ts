/** Keys that govern a step in other systems, and keys that are nearly ours: each is an error in every dialect. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePlan, type CompileResult } from '../../src/plan/index.ts';
import { keysOf } from '../../src/plan/names.ts';
import { RUNS } from './arbitraries.ts';

type More = Readonly<Record<string, unknown>>;

const LAST = { context_key: 'end', capability: 'respond', task_objective: 'Answer' };
const step = (more: More) => ({ context_key: 'a', capability: 'pay', task_objective: 'Pay', ...more });
const present = (more: More) => JSON.parse(JSON.stringify(more)) as More;
const elementsOf = (more: More) =>
  Object.entries(present(more)).map(
    ([key, value]) => `<${key}>${typeof value === 'object' ? 'x' : (value as string)}</${key}>`,
  );

const DIALECTS: Readonly<Record<string, (more: More) => unknown>> = {
  tree: (more) => ({ goal: 'g', plan: { task: 'Pay', capability: 'pay', ...more } }),
  steps: (more) => ({ goal: 'g', steps: [step(more), LAST] }),
  nodes: (more) => ({ goal: 'g', nodes: [{ id: 'a', capability: 'pay', task: 'Pay', ...more }] }),
  calute: (more) => ({ objective: 'g', steps: [{ step_id: 1, agent: 'x', action: 'pay', ...more }] }),
  yaml: (more) =>
    ['goal: g', 'steps:', '  - context_key: a', '    task_objective: Pay']
      .concat(Object.entries(present(more)).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`))
      .join('\n'),
  xml: (more) =>
    `<plan><objective>g</objective><step id="1"><action>pay</action>${elementsOf(more).join('')}</step></plan>`,
};

function problemsOf(document: unknown): CompileResult & { readonly told: readonly string[] } {
  const result = compilePlan(document);
  const issues = result.ok ? result.warnings : result.issues;
  const told = issues
    .filter(({ code }) => code === 'unknown-key')
    .map(({ severity, message }) => `${severity} ${message}`);
  return { ...result, told };
}

describe.each(Object.entries(DIALECTS))('in %s', (dialect, documentOf) => {
  test.each<[More, instead: RegExp]>([
    [{ condition: 'owed < 100' }, /no conditions.*ask/],
    [{ if: 'x' }, /no conditions/],
    [{ when: 'tomorrow 9:00' }, /no conditions/],
    [{ unless: 'paid' }, /no conditions/],
    [{ run_if: 'x' }, /no conditions/],
    [{ preconditions: ['there is money'] }, /no conditions/],
    [{ thenStep: 'b' }, /no branches/],
    [{ else_step: 'b' }, /no branches/],
    [{ type: 'conditional' }, /"type"|tasks alone|no type of node/],
    [{ for_each: 'result' }, /no loops/],
    [{ foreach: 'x' }, /no loops/],
    [{ repeat: 3 }, /no loops/],
    [{ until: 'done' }, /no loops/],
    [{ max_iterations: 5 }, /no loops/],
    [{ enabled: false }, /Every step of a plan runs/],
    [{ execute: false }, /Every step of a plan runs/],
    [{ do_not_run: true }, /Every step of a plan runs/],
    [{ run_when: 'a > 1' }, /no conditions/],
    [{ disabled: true }, /Every step of a plan runs/],
    [{ skip: true }, /Every step of a plan runs/],
    [{ status: 'skipped' }, /Every step of a plan runs/],
    [{ dry_run: true }, /planwright compile/],
    [{ dryRun: 'true' }, /planwright compile/],
    [{ on_failure: 'skip' }, /option onFailure/],
    [{ onError: 'continue' }, /option onFailure/],
    [{ fallback: 'mail' }, /option onFailure/],
    [{ retry_policy: { max_attempts: 1 } }, /retry\.attempts/],
    [{ maxRetries: 3 }, /retry\.attempts/],
    [{ timeout_seconds: 5 }, /timeout\.startToCloseMs/],
    [{ timeout: '5s' }, /timeout\.startToCloseMs/],
    [{ requires_approval: true }, /option approval/],
    [{ schedule: '0 9 * * *' }, /Temporal Schedule/],
    [{ wait: 60 }, /Temporal Schedule/],
    [{ priority: 'high' }, /option concurrency/],
    [{ parallel: false }, /option concurrency/],
    [{ order: 7 }, /order of their list/],
    [{ input_refs: ['x'] }, /"inputs"/],
    ...(dialect === 'xml' ? [] : [[{ options: { dryRun: true } }, /planwright compile/] as [More, RegExp]]),
  ])('%j is an error that says what to write', (more, instead) => {
    const { ok, ...rest } = problemsOf(documentOf(more));
    const words = [...rest.told, ...('issues' in rest ? rest.issues.map(({ message }) => message) : [])].join('\n');
    expect(ok).toBe(false);
    expect(words).toMatch(instead);
  });

  test.each<More>([
    { enabled: true },
    { disabled: false },
    { dryRun: false },
    { status: 'pending' },
    { retry: 0 },
    ...(dialect === 'tree' ? [] : [{ order: 1 }]),
    { condition: 'always' },
    { requires_approval: false },
    { parallel: true },
  ])('%j says what happens anyway', (more) => {
    expect(problemsOf(documentOf(more))).toMatchObject({ ok: true, told: [] });
  });

  test.each(['argumnets', 'agnet', 'capabilty'])('%s', (key) => {
    const hasIt = dialect === 'calute' && key === 'agnet';
    expect(problemsOf(documentOf({ [key]: 'x', capability: undefined })).ok).toBe(hasIt);
  });
});

test.each<[string, unknown, RegExp]>([
  ['distance', 1000, /"upstream" and "downstream"/],
  ['max_distance', 1000, /"upstream" and "downstream"/],
  ['window', 500, /"upstream" and "downstream"/],
  ['same_strand', true, /"strand"/],
  ['strandedness', 'same', /"strand"/],
  ['upstreem', 1000, /nearly "upstream"/],
])('%s of a COLOCATE', (key, value, instead) => {
  const plan = { operator: 'COLOCATE', [key]: value, left: { task: 'Genes' }, right: { task: 'Peaks' } };
  expect(problemsOf({ goal: 'g', plan }).told.join()).toMatch(instead);
  expect(problemsOf({ goal: 'g', plan: { ...plan, [key]: 0, same_strand: false } }).ok).toBe(key !== 'upstreem');
});

test('the place of a step is an order that says what happens anyway', () => {
  const ordered = (...orders: readonly number[]) => ({
    goal: 'g',
    steps: orders.map((order, at) => ({ context_key: `s${at}`, task_objective: 'x', order })),
  });
  expect(problemsOf(ordered(1, 2, 3))).toMatchObject({ ok: true, told: [] });
  expect(problemsOf(ordered(2, 1)).told).toEqual([expect.stringMatching(/order of their list/)]);
});

test('a plan of XML that loses an <if> says so', () => {
  const xml =
    '<plan><objective>g</objective><if test="x"><step id="2"><action>Pay</action></step></if><step id="1"><action>Look</action></step></plan>';
  const result = compilePlan(xml);
  expect(result.ok ? [] : result.issues.map(({ message }) => message).join()).toMatch(/"if" governs .* no conditions/);
});

/** Of the documents of Pathfinder, Calute, VentureScope and Osprey that plans come from. */
const OF_SOURCES = [
  ...[
    'expected_output',
    'success_criteria',
    'complexity',
    'estimated_time',
    'estimated_minutes',
    'plan_id',
    'objective',
  ],
  ...['display_name', 'hint', 'context', 'reason', 'rationale', 'thought', 'explanation', 'decision', 'schema'],
  ...['depends_on', 'notes', 'risks', 'assumptions', 'summary', 'title_text', 'tools', 'role', 'goal'],
];

test.each(OF_SOURCES)('%s governs nothing: it is read, warned of, or refused as before', (key) => {
  for (const documentOf of [DIALECTS['tree']!, DIALECTS['steps']!]) {
    const { told } = problemsOf(documentOf({ [key]: 'some words' }));
    expect(told.filter((line) => /governs|nearly/.test(line))).toEqual([]);
  }
});

test('a misspelt key of ours is never a warning where ours is missing', () => {
  const own = keysOf('step').filter((key) => key.length > 5);
  const misspelt = fc
    .constantFrom(...own)
    .chain((key) =>
      fc
        .nat(key.length - 2)
        .map((at) => ({ key, written: key.slice(0, at) + key[at + 1]! + key[at]! + key.slice(at + 2) })),
    );
  fc.assert(
    fc.property(misspelt, ({ key, written }) => {
      fc.pre(written !== key);
      const bare = { task_objective: 'x', [key === 'task_objective' ? 'action' : 'task_objective']: 'x' };
      if (key === 'task_objective') delete (bare as Record<string, unknown>)['task_objective'];
      expect(problemsOf({ goal: 'g', steps: [{ ...bare, [written]: 'word' }, LAST] }).ok).toBe(false);
    }),
    RUNS,
  );
});

test('a plan of many unknown keys is refused in time, and one key in many steps is not', () => {
  const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 1]));
  const before = performance.now();
  expect(problemsOf({ goal: 'g', steps: [step(many), LAST] }).ok).toBe(false);
  expect(performance.now() - before).toBeLessThan(10_000);
  const steps = Array.from({ length: 2_000 }, (_, at) => ({ step_id: at, action: 'x', rationale: 'y' }));
  expect(problemsOf({ goal: 'g', steps }).ok).toBe(true);
});

test('of an agent and a capability the capability counts, and a warning says so', () => {
  const both = (more: More) =>
    compilePlan({ goal: 'g', plan: { task: 'x', capability: 'pay', agent: 'Ann', ...more } });
  expect(both({})).toMatchObject({ ok: true, warnings: [{ code: 'ignored-key', path: '$.plan.agent' }] });
  expect(both({ capability: 'respond' })).toMatchObject({ ok: true, warnings: [] });
});
