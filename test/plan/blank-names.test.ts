import { describe, expect, test } from 'vitest';
import { compilePlan, validateStep } from '../../src/plan/index.ts';
import { exampleCatalogue } from './example-catalogue.ts';
import { task } from './example-plans.ts';
import type { CompileOptions } from '../../src/plan/index.ts';

const byDefault = exampleCatalogue({
  capabilities: ['search', 'respond'],
  agents: ['Writer'],
  defaultExecutor: { kind: 'capability', name: 'search', version: '1', effect: 'read' },
});
const step = { context_key: 'a', task_objective: 'Say', capability: 'respond' };
const xml = (inside: string): string =>
  `<plan><objective>g</objective><step id="1"><action>b</action>${inside}</step></plan>`;

function errorsOf(document: unknown, options: CompileOptions = {}): string[] {
  const result = compilePlan(document, options);
  if (result.ok) return [];
  return result.issues.filter(({ severity }) => severity === 'error').map(({ code, path }) => `${code} ${path}`);
}

/** To fall back to the default would carry a task out by something that its writer did not mean. */
describe.each([
  ['without a catalogue', {}],
  ['with one that has a default', { catalogue: byDefault }],
  ['with one that has none', { catalogue: exampleCatalogue({ capabilities: ['search', 'respond'], agents: [] }) }],
])('Osprey: a blank name is refused, %s', (_, options: CompileOptions) => {
  test.each(['', ' ', '\n\t'])('of a task: %j', (blank) => {
    expect(errorsOf({ goal: 'g', plan: task('A', { capability: blank }) }, options)).toEqual([
      'unknown-capability $.plan.capability',
    ]);
    expect(errorsOf({ goal: 'g', plan: task('A', { agent: blank }) }, options)).toEqual(['unknown-agent $.plan.agent']);
  });

  test.each(['', '  '])('of a step: %j', (blank) => {
    const second = { ...step, context_key: 'b' };
    expect(errorsOf({ goal: 'g', steps: [{ ...step, capability: blank }, second] }, options)).toEqual([
      'unknown-capability $.steps[0].capability',
    ]);
    expect(errorsOf({ goal: 'g', steps: [{ ...step, agent: blank }, second] }, options)).toEqual([
      'unknown-agent $.steps[0].agent',
    ]);
  });

  test.each(['<agent></agent>', '<agent/>', '<agent> </agent>'])('of a step in XML: %s', (agent) => {
    expect(errorsOf(xml(agent), options)).toEqual(['unknown-agent $.steps[0].agent']);
  });
});

test('Osprey: a blank name of a single step is refused', () => {
  expect(validateStep({ ...step, capability: ' ' }, { steps: [] }, byDefault)).toMatchObject({
    ok: false,
    issues: [{ code: 'unknown-capability', path: '$.capability', expected: ['search', 'respond', 'clarify'] }],
  });
});

test('null is no name, and absent', () => {
  expect(errorsOf({ goal: 'g', plan: task('A', { capability: null, agent: null }) }, { catalogue: byDefault })).toEqual(
    [],
  );
});
