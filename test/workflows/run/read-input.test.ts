/** The input of a run: what is one, and what is told about one that is none. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_OPTIONS } from '../../../src/protocol/index.ts';
import { parsePlanInput } from '../../../src/protocol/read-input.ts';

const NODE = { type: 'task', task: 'find genes' };
const REF = 'a'.repeat(43);

describe('the input of a run', () => {
  test.each<[string, unknown, unknown]>([
    ['a document as it stands', { goal: 'g', plan: NODE }, { document: { goal: 'g', plan: NODE } }],
    ['a bare string', '{"goal":"g"}', { document: '{"goal":"g"}' }],
    ['document text under plan', { plan: '{"goal":"g"}' }, { document: '{"goal":"g"}' }],
    ['a whole tree under plan', { plan: { goal: 'g', plan: NODE } }, { document: { goal: 'g', plan: NODE } }],
    ['a steps document under plan', { plan: { goal: 'g', steps: [] } }, { document: { goal: 'g', steps: [] } }],
    ['a reference', { ref: REF }, { ref: REF }],
    [
      'the same goal outside and inside',
      { goal: 'g', plan: { goal: 'g', plan: NODE } },
      { document: { goal: 'g', plan: NODE } },
    ],
  ])('is %s', (_, input, source) => {
    expect(parsePlanInput(input)).toEqual({ ok: true, source, options: DEFAULT_OPTIONS });
  });

  test('is a goal for the planner, and says what is left to the project', () => {
    const unsaid = (options?: object) => {
      const parsed = parsePlanInput({ goal: ' find genes ', ...(options && { options }) });
      expect(parsed).toMatchObject({ ok: true, source: { goal: 'find genes' } });
      return parsed.ok ? parsed.unsaid : undefined;
    };
    expect(unsaid()).toEqual({ mode: true, approval: true });
    expect(unsaid({ approval: 'required' })).toEqual({ mode: true });
    expect(unsaid({ mode: 'plan-first' })).toBeUndefined();
  });

  test('carries options', () => {
    const options = {
      mode: 'plan-first',
      approval: 'effects',
      approvalDeadline: '1h30m',
      onFailure: 'partial',
      concurrency: 7,
      limits: { depth: 3 },
      context: { beam: { current: 3 } },
    };
    expect(parsePlanInput({ goal: 'g', plan: NODE, options })).toMatchObject({
      ok: true,
      options: {
        approval: 'effects',
        approvalDeadlineMs: 5_400_000,
        onFailure: 'partial',
        concurrency: 7,
        limits: { depth: 3 },
      },
    });
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'got nothing'],
    ['a list', [], 'got a list'],
    ['a payload that could not be decoded', { malformed: true, reason: 'bad JSON' }, 'could not be decoded: bad JSON'],
    ['no plan and no goal', {}, '$.plan: expected a plan'],
    ['a goal that is no text', { goal: 5 }, '$.goal: for the planner a goal is a text'],
    ['a blank goal', { goal: ' ' }, '$.goal: for the planner a goal is a text of 1 to 20000'],
    [
      'a plan that a model should choose the way for',
      { goal: 'g', plan: NODE, options: { mode: 'auto' } },
      'leave it out where there is a plan',
    ],
    [
      'a gate that a model should lower',
      { goal: 'g', options: { mode: 'auto', approval: 'effects' } },
      '$.options.approval: in mode "auto"',
    ],
    ['a conversation without a name', { goal: 'g', options: { conversation: '' } }, '$.options.conversation: expected'],
    ['too many rounds', { goal: 'g', options: { maxRounds: 20_000 } }, '$.options.maxRounds: expected'],
    ['goal and reference', { goal: 'g', ref: REF }, 'leave this one out'],
    ['plan and reference', { plan: NODE, ref: REF }, 'not both'],
    ['a reference that is none', { ref: '../../etc/passwd' }, '$.ref: expected a reference'],
    ['two goals', { goal: 'a', plan: { goal: 'b', plan: NODE } }, 'leave the outer goal out'],
    ['a steps document that is not under plan', { goal: 'g', steps: [] }, 'unknown key "steps"'],
    ['an unknown option', { plan: NODE, options: { aproval: 'required' } }, '$.options: unknown key "aproval"'],
    ['options that are none', { plan: NODE, options: 3 }, '$.options: expected an object'],
    [
      'an approval policy that is none',
      { plan: NODE, options: { approval: 'none' } },
      '"required", "effects" or { "rules": [...] }',
    ],
    ['reactive mode', { plan: NODE, options: { mode: 'reactive' } }, '$.options.mode'],
    ['a deadline that is none', { plan: NODE, options: { approvalDeadline: 'soon' } }, 'expected a duration'],
    ['a deadline of zero', { plan: NODE, options: { approvalDeadline: 0 } }, 'expected a duration'],
    ['context that is none', { plan: NODE, options: { context: 'x' } }, '$.options.context: expected an object'],
    [
      'a thousand and one names of context',
      { plan: NODE, options: { context: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`n${at}`, at])) } },
      '$.options.context: expected at most 1000 names, got 1001',
    ],
    [
      'ten megabytes of context',
      { plan: NODE, options: { context: { small: 1, large: 'x'.repeat(10_000_000) } } },
      '$.options.context: expected at most 1500000 characters of JSON, got 10000003, of which "large" has 10000002',
    ],
    ['no concurrency', { plan: NODE, options: { concurrency: 0 } }, 'from 1 to 1000'],
    ['half a node', { plan: NODE, options: { limits: { nodes: 0.5 } } }, '$.options.limits.nodes'],
  ])('is refused: %s', (_, input, problem) => {
    const parsed = parsePlanInput(input);
    expect(parsed.ok ? '' : parsed.problems.join('\n')).toContain(problem);
  });

  test('has all its problems reported at once', () => {
    const parsed = parsePlanInput({ plan: NODE, extra: 1, options: { approval: 1, concurrency: -1 } });
    expect(parsed.ok ? [] : parsed.problems).toHaveLength(3);
  });

  test('tells at most a hundred problems, then how many more there are', () => {
    const many = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key ${i}`, i]));
    const rule = { rules: [many, many] };
    for (const input of [
      { ...many, plan: NODE },
      { plan: NODE, options: many },
      { plan: NODE, options: { limits: many } },
      { plan: NODE, options: { approval: rule } },
    ]) {
      const parsed = parsePlanInput(input);
      const problems = parsed.ok ? [] : parsed.problems;
      expect(problems).toHaveLength(101);
      expect(problems.at(-1)).toMatch(/^and (59900|119900) more problems$/);
    }
  });

  test('is refused with a path where it is nested too deep to be handed on', () => {
    let plan: unknown = NODE;
    for (let level = 0; level < 100_000; level += 1) plan = { type: 'task', task: 't', input: plan };
    expect(parsePlanInput({ goal: 'g', plan })).toEqual({
      ok: false,
      problems: [expect.stringMatching(/^\$: the input is nested more than 2000 levels deep; send the plan as text/)],
    });
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (plan, options) => {
        parsePlanInput(plan);
        parsePlanInput({ plan, options });
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
