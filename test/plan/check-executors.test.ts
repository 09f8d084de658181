import { describe, expect, test } from 'vitest';
import { compilePlan } from '../../src/plan/index.ts';
import { exampleCatalogue } from './example-catalogue.ts';
import { combine, compiled, task } from './example-plans.ts';
import type { CompileOptions, Executor } from '../../src/plan/index.ts';

const fallback: Executor = { kind: 'agent', name: 'Analyst', version: '1', effect: 'at-most-once' };
const names = { capabilities: ['search', 'rank'], agents: ['Analyst'] };
const catalogue = exampleCatalogue({ ...names, defaultExecutor: fallback });

function issuesOf(root: unknown, options: CompileOptions): readonly unknown[] {
  const result = compilePlan({ goal: 'x', plan: root }, options);
  return result.ok ? [] : result.issues.map(({ code, path }) => [code, path]);
}

describe('with a catalogue', () => {
  test('the capability, else the agent, else the default', () => {
    const plan = combine(
      'UNION',
      task('A', { capability: ' search ', agent: 'Analyst' }),
      combine('UNION', task('B', { agent: 'ANALYST' }), task('C')),
    );
    const result = compilePlan({ goal: 'x', plan }, { catalogue });
    expect(result).toMatchObject({
      ok: true,
      executors: {
        node_1: { kind: 'capability', name: 'search' },
        node_2: { kind: 'agent', name: 'Analyst' },
        node_3: fallback,
      },
    });
  });

  test('executors stand beside the plan: its digest is the one without a catalogue', () => {
    const root = task('A', { agent: 'aNaLyst' });
    expect(compiled(root, { catalogue })).toEqual(compiled(root));
    expect(compilePlan({ goal: 'x', plan: root })).not.toHaveProperty('executors');
  });

  test('a merged node has one executor', () => {
    const result = compilePlan({ goal: 'x', plan: combine('UNION', task('A'), task('A')) }, { catalogue });
    expect(result.ok && Object.keys(result.executors!)).toEqual(['node_1']);
  });

  test('Osprey: an unknown capability does not fall back', () => {
    expect(issuesOf(task('A', { capability: 'Search' }), { catalogue })).toEqual([
      ['unknown-capability', '$.plan.capability'],
    ]);
    const result = compilePlan({ goal: 'x', plan: task('A', { capability: 'serach' }) }, { catalogue });
    expect(result).toMatchObject({
      issues: [
        {
          expected: ['search', 'rank', 'respond', 'clarify'],
          message: expect.stringContaining('Did you mean "search"?'),
        },
      ],
    });
  });

  test('a built-in name that the catalogue does not carry out is unknown to it', () => {
    expect(issuesOf(task('A', { capability: 'respond' }), { catalogue })).toEqual([
      ['unknown-capability', '$.plan.capability'],
    ]);
    expect(issuesOf(task('A', { capability: 'respond' }), { capabilities: [] })).toEqual([]);
  });

  test('arguments are checked with the executor that was found, and not when they are no JSON', () => {
    const strict = exampleCatalogue({ ...names, defaultExecutor: fallback, problems: [[], ['limit']] });
    expect(issuesOf(task('A', { arguments: { limit: 0 } }), { catalogue: strict })).toEqual([
      ['invalid-arguments', '$.plan.arguments'],
      ['invalid-arguments', '$.plan.arguments.limit'],
    ]);
    expect(issuesOf(task('A', { arguments: { limit: 1n } }), { catalogue: strict })).toEqual([
      ['invalid-arguments', '$.plan.arguments.limit'],
    ]);
  });

  test('a broken node has its executor checked all the same', () => {
    expect(issuesOf(task('', { capability: 'x', agent: 'y' }), { catalogue })).toEqual([
      ['missing-task', '$.plan.task'],
      ['unknown-capability', '$.plan.capability'],
      ['unknown-agent', '$.plan.agent'],
    ]);
  });
});

describe('Osprey, Calute: with names only, capabilities as written and agents in any case', () => {
  test.each([
    [{ capability: 'clarify' }, []],
    [{ capability: 'other' }, [['unknown-capability', '$.plan.capability']]],
    [{ agent: ' analyst' }, []],
    [{ agent: 'other' }, [['unknown-agent', '$.plan.agent']]],
    [{}, []],
  ])('%j', (fields, expected) => {
    expect(issuesOf(task('A', fields), { capabilities: [' search'], agents: ['Analyst '] })).toEqual(expected);
  });

  test('what is not listed is not checked', () => {
    expect(issuesOf(task('A', { agent: 'anyone' }), { capabilities: ['search'] })).toEqual([]);
  });
});
