/** A key that a capability would never see is told wherever arguments meet its schema. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineCapability, readArguments } from '../../src/capabilities/index.ts';
import { compilePlan, validateStep } from '../../src/plan/index.ts';
import { openActivities } from '../activities/rig.ts';

const given: unknown[] = [];
const set = defineCapability({
  ...{ name: 'set', description: 'Sets a current.', output: 'value', effect: 'read' },
  input: z.object({
    magnet: z.string(),
    at: z.object({ current: z.number() }).optional(),
    rows: z.array(z.object({ id: z.string() })).optional(),
  }),
  execute: (task) => {
    given.push(task.arguments);
    return 1;
  },
});
const rows = defineCapability({
  ...{ name: 'rows', description: 'Gives rows.', output: 'value', effect: 'read' },
  input: z.object({}),
  execute: () => Array.from({ length: 12 }, () => ({ id: 'a', size: 3 })),
});
const catalogue = createRegistry([set, rows]);

describe('a key that the schema would drop', () => {
  test('is an issue of a plan, with its path, the name it comes nearest to and the known ones', () => {
    const plan = { task: 'Set it', capability: 'set', arguments: { magnet: 'm', at: { current: 1, curent: 9 } } };
    const compiled = compilePlan({ goal: 'g', plan }, { catalogue });
    const message =
      '"curent" is no argument here. Did you mean "current"? Use "current", or take it out. (arguments of the capability "set")';
    expect(compiled).toMatchObject({
      ok: false,
      issues: [
        { code: 'unknown-argument', path: '$.plan.arguments.at.curent', message, expected: ['current'], got: 'curent' },
      ],
    });
  });

  test('is told also where another argument does not fit, or is still to come', () => {
    const misfit = { goal: 'g', plan: { task: 'Set it', capability: 'set', arguments: { magnt: 'm' } } };
    const codes = (document: object) => {
      const compiled = compilePlan(document, { catalogue });
      return compiled.ok
        ? []
        : compiled.issues.filter(({ severity }) => severity === 'error').map(({ code, path }) => [code, path]);
    };
    expect(codes(misfit)).toEqual([
      ['invalid-arguments', '$.plan.arguments.magnet'],
      ['unknown-argument', '$.plan.arguments.magnt'],
    ]);
    const parameters = { magnet: 'm', rows: 'result_from_step_1', more: 'result_from_step_1' };
    const steps = [
      { context_key: 'one', capability: 'rows', task_objective: 'Make rows' },
      { context_key: 'two', capability: 'set', task_objective: 'Set it', parameters },
    ];
    expect(codes({ goal: 'g', steps })).toEqual([['unknown-argument', '$.steps[1].parameters.more']]);
  });

  test('is an issue of a step that a loop decides', () => {
    const step = { context_key: 'a', capability: 'set', task_objective: 'Set it', parameters: { magnet: 'm', q: 1 } };
    expect(validateStep(step, { steps: [] }, catalogue)).toMatchObject({
      ok: false,
      issues: [{ code: 'unknown-argument', path: '$.parameters.q' }],
    });
  });

  test('fails a node to which a reference has brought it, before the capability is called', async () => {
    const rig = await openActivities([set, rows]);
    const steps = [
      { context_key: 'one', capability: 'rows', task_objective: 'Make rows' },
      {
        ...{ context_key: 'two', capability: 'set', task_objective: 'Set it' },
        parameters: { magnet: 'm', rows: 'result_from_step_1' },
      },
    ];
    const { revisionRef: revision } = await rig.compiled({ goal: 'g', steps });
    const made = await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] });
    given.length = 0;
    const running = rig.call('runTask', { revision, nodeId: 'node_2', inputs: ['ref' in made ? made.ref : ''] });
    const told =
      /^the arguments do not fit set: arguments\.rows\.0\.size: "size" is no argument here\. Use "id", or take it out\.;.*; and 2 more$/;
    await expect(running).rejects.toMatchObject({ type: 'REPLANNING', message: expect.stringMatching(told) });
    expect(given).toEqual([]);
  });

  test('of a strict schema is told once, with the known names', () => {
    const read = readArguments(z.strictObject({ q: z.number() }), { q: 1, x: 2 });
    expect(read).toMatchObject({ ok: false, problems: [{ code: 'unknown-argument', path: ['x'], expected: ['q'] }] });
  });

  test('what the schema makes of its input is no loss', () => {
    const schema = z.object({ q: z.coerce.number().default(1), at: z.string().transform((text) => ({ text })) });
    expect(readArguments(schema, { at: 'x' })).toEqual({ ok: true, value: { q: 1, at: { text: 'x' } } });
  });
});

describe('a near miss is read as it was meant, with a warning', () => {
  const near = defineCapability({
    ...{ name: 'near', description: 'Takes much.', output: 'value', effect: 'read' },
    input: z.object({
      text: z.string(),
      limit: z.number().optional(),
      exact: z.boolean().optional(),
      within: z.object({ from: z.number(), to: z.number().optional() }).optional(),
      tags: z.array(z.string()).optional(),
      note: z.string().nullable().optional(),
    }),
    execute: () => 1,
  });
  const registry = createRegistry([near]);
  const compile = (args: unknown) => {
    const task = { task: 'Do it', capability: 'near', arguments: args };
    const compiled = compilePlan({ goal: 'g', plan: task }, { catalogue: registry });
    return compiled.ok
      ? { arguments: compiled.plan.tasks[0]?.arguments, told: compiled.warnings.map(({ code, path }) => [code, path]) }
      : compiled.issues.filter(({ severity }) => severity === 'error').map(({ path }) => path);
  };
  const at = (...keys: string[]) => keys.map((key) => ['repaired-syntax', `$.plan.arguments.${key}`]);

  test.each<[args: object, meant: object, places: readonly string[]]>([
    [{ text: 'a', limit: null }, { text: 'a' }, ['limit']],
    [{ text: 'a', limit: '5', exact: 'true' }, { text: 'a', limit: 5, exact: true }, ['limit', 'exact']],
    [{ text: 'a', within: '{"from": 1}' }, { text: 'a', within: { from: 1 } }, ['within']],
    [{ text: 'a', within: { from: 1, to: null } }, { text: 'a', within: { from: 1 } }, ['within.to']],
    [{ text: 'a', tags: '["x"]' }, { text: 'a', tags: ['x'] }, ['tags']],
  ])('%j', (args, meant, places) => {
    expect(compile(args)).toEqual({ arguments: meant, told: at(...places) });
  });

  test('and the plan is the one that is written so', () => {
    const digest = (args: object) => {
      const task = { task: 'Do it', capability: 'near', arguments: args };
      const compiled = compilePlan({ goal: 'g', plan: task }, { catalogue: registry });
      return compiled.ok ? compiled.plan.digest : 'none';
    };
    expect(digest({ text: 'a', limit: '5', tags: null })).toBe(digest({ text: 'a', limit: 5 }));
  });

  test.each<[args: object, places: readonly string[]]>([
    [{ text: null }, ['text']],
    [{ text: 'a', limit: 'five' }, ['limit']],
    [{ text: 'a', limit: '12345678901234567890' }, ['limit']],
    [{ text: 'a', within: '{"from": 1, "from": 2}' }, ['within']],
    [{ text: 'a', limit: '5', exact: 7 }, ['exact']],
  ])('but nothing is guessed: %j', (args, places) => {
    expect(compile(args)).toEqual(places.map((key) => `$.plan.arguments.${key}`));
  });

  test('and what fits is left as it is', () => {
    const args = { text: '5', note: null };
    expect(compile(args)).toEqual({ arguments: args, told: [] });
  });
});
