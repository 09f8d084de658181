import { describe, expect, test } from 'vitest';
import { compilePlan, decodePlan, encodePlan } from '../../../src/plan/index.ts';
import type { Colocate, CompiledPlan, CompileResult, PlanIssue } from '../../../src/plan/index.ts';

const PLACE = '$.plan.colocate';
const end = (anchor: string, direction: string, offset: number) => ({ anchor, direction, offset });

describe('VEuPathDB WDK: the full form', () => {
  const RULES = { strand: 'both', operation: 'overlap', output: 'left' };
  const custom = { begin: end('stop', 'upstream', 50), end: end('stop', 'downstream', 0) };
  test.each<[string, object, object]>([
    [
      'a flank and the record',
      { left: { upstream: 1000 }, right: 'exact' },
      { left: { upstream: 1000 }, right: 'exact' },
    ],
    ['words in any case', { left: ' Exact ', right: { downstream: 0 } }, { left: 'exact', right: { downstream: 0 } }],
    ['two ends', { left: custom, right: 'exact', strand: 'same' }, { left: custom, right: 'exact', strand: 'same' }],
    [
      'null beside a flank',
      { left: { upstream: 5, downstream: null }, right: 'exact' },
      { left: { upstream: 5 }, right: 'exact' },
    ],
  ])('%s', (_, written, expected) => {
    expect(colocateOf(written)).toEqual({ upstream: 0, downstream: 0, ...RULES, ...expected });
  });

  test('is stored, shown and part of the identity', () => {
    const [near, far] = [1000, 2000].map((upstream) => compiled({ left: { upstream }, right: 'exact' }));
    expect(near!.digest).not.toBe(far!.digest);
    expect(near!.combines[0]!.key).not.toBe(far!.combines[0]!.key);
    expect(decodePlan(encodePlan(near!))).toEqual({ ok: true, plan: near });
  });

  test.each<[string, object, string, RegExp]>([
    ['one side only', { left: 'exact' }, `${PLACE}.right`, /region of the right side; it is nothing/],
    ['another word', { left: 'near', right: 'exact' }, `${PLACE}.left`, /Write "exact", \{ "upstream": N \}/],
    [
      'both flanks',
      { left: { upstream: 1, downstream: 1 }, right: 'exact' },
      `${PLACE}.left`,
      /region of the left side/,
    ],
    [
      'a flank too long',
      { left: { upstream: 2 ** 30 }, right: 'exact' },
      `${PLACE}.left.upstream`,
      /from 0 to 1073741823/,
    ],
    ['a begin alone', { left: 'exact', right: { begin: custom.begin } }, `${PLACE}.right`, /region of the right side/],
    [
      'an end that is a number',
      { left: { ...custom, end: 5 }, right: 'exact' },
      `${PLACE}.left.end`,
      /"end" is a base/,
    ],
    [
      'an end with more',
      { left: { ...custom, end: { ...custom.end, x: 1 } }, right: 'exact' },
      `${PLACE}.left.end`,
      /exactly/,
    ],
    [
      'no such anchor',
      { left: { ...custom, end: end('middle', 'upstream', 1) }, right: 'exact' },
      `${PLACE}.left.end.anchor`,
      /"start" or "stop"/,
    ],
    [
      'no such direction',
      { left: { ...custom, end: end('stop', '+', 1) }, right: 'exact' },
      `${PLACE}.left.end.direction`,
      /"upstream" or "downstream"/,
    ],
    ['a window beside it', { left: 'exact', right: 'exact', upstream: 0 }, `${PLACE}.upstream`, /beside the regions/],
  ])('%s is refused', (_, written, path, message) => {
    expect(issuesOf(compile(written))).toEqual([
      expect.objectContaining({ code: 'invalid-colocate', path, message: expect.stringMatching(message) }),
    ]);
  });

  test('a window flat on the node beside regions is refused', () => {
    expect(issuesOf(compile({ left: 'exact', right: 'exact' }, { downstream: 3 }))).toMatchObject([
      { path: '$.plan.downstream' },
    ]);
  });
});

describe('what stands near none', () => {
  const identity = (plan: CompiledPlan): object => ({ digest: plan.digest, key: plan.combines[0]!.key });

  test('is another plan, stored and read back, with a name that says so', () => {
    const near = compiled({ upstream: 5 });
    const apart = compiled({ upstream: 5, invert: true });
    expect(apart.combines[0]).toMatchObject({
      colocate: { upstream: 5, invert: true },
      displayName: 'node_1 apart from node_2',
    });
    expect(compiled({ output: 'right', invert: true }).combines[0]).toMatchObject({
      displayName: 'node_2 apart from node_1',
    });
    expect(identity(apart)).not.toEqual(identity(near));
    expect(decodePlan(encodePlan(apart))).toEqual({ ok: true, plan: apart });
  });

  test.each([{ invert: false }, { invert: null }, {}])(
    '%j is the plan that it was before there was the word',
    (rest) => {
      const plan = compiled({ upstream: 5, ...rest });
      expect(plan.combines[0]!.colocate).not.toHaveProperty('invert');
      expect(plan.digest).toBe('1392f8e0d248c2a103eba54f550af927001d3c217abad86abcfd2b6155ae9c15');
    },
  );

  test('flat on the node, beside regions too', () => {
    const regions = { left: { upstream: 5 }, right: 'exact' };
    for (const result of [compile({ ...regions, invert: true }), compile(regions, { invert: true })]) {
      expect(result.ok && result.plan.combines[0]!.colocate).toMatchObject({ ...regions, invert: true });
    }
  });

  test.each<[string, unknown, RegExp]>([
    ['a word', 'true', /"invert" says whether the records that meet none are kept; it is "true"\. Write true or false/],
    ['a number', 1, /Write true or false/],
    ['a list', [true], /Write true or false/],
    ['an object', {}, /Write true or false/],
  ])('%s is refused', (_, invert, message) => {
    for (const [result, path] of [
      [compile({ invert }), `${PLACE}.invert`],
      [compile({}, { invert }), '$.plan.invert'],
    ] as const) {
      expect(issuesOf(result)).toMatchObject([
        { code: 'invalid-colocate', path, message: expect.stringMatching(message) },
      ]);
    }
  });

  test('two answers on one node are said to be so, and the inner one counts', () => {
    const result = compile({ invert: true }, { invert: false });
    expect(result).toMatchObject({ ok: true, warnings: [{ code: 'ignored-key', path: '$.plan.invert' }] });
    expect(result.ok && result.plan.combines[0]!.colocate?.invert).toBe(true);
  });

  test('it is refused on another operator, and beside the names of the span logic', () => {
    const union = { operator: 'UNION', left: { task: 'A' }, right: { task: 'B' }, invert: true };
    expect(issuesOf(compilePlan({ goal: 'g', plan: union }))).toMatchObject([
      { code: 'misplaced-colocate', path: '$.plan.invert' },
    ]);
    const named = {
      ...side('a', 'start', '+', '0', 'stop', '+', '0'),
      ...side('b', 'start', '+', '0', 'stop', '+', '0'),
    };
    expect(issuesOf(compile({ ...named, span_output: 'a', invert: true }))).toMatchObject([
      { code: 'invalid-colocate', path: `${PLACE}.invert` },
    ]);
    expect(issuesOf(compile({ ...named, span_output: 'a' }, { invert: true }))).toMatchObject([
      { code: 'invalid-colocate', path: '$.plan.invert' },
    ]);
  });
});

describe('VEuPathDB WDK: the parameters of span logic', () => {
  const SPAN = {
    span_a: '',
    span_b: '',
    span_sentence: '',
    span_strand: 'Same strand',
    span_operation: 'a_contain_b',
    span_output: 'b',
    ...side('a', 'start', '-', '1000', 'start', '-', '1'),
    ...side('b', 'start', '+', '0', 'stop', '+', '0'),
  };

  test('are translated, and the warning says to what', () => {
    const result = compile(SPAN);
    const expected = {
      left: { upstream: 1000 },
      operation: 'contains',
      output: 'right',
      right: 'exact',
      strand: 'same',
    };
    expect(result.ok && result.plan.combines[0]!.colocate).toEqual({ upstream: 0, downstream: 0, ...expected });
    expect(result.ok && result.warnings).toMatchObject([
      { severity: 'warning', code: 'invalid-colocate', path: PLACE, expected: JSON.stringify(expected) },
    ]);
  });

  test.each<[string, object, object]>([
    ['exact', side('a', 'start', '-', '0', 'stop', '-', '0'), { left: 'exact' }],
    ['upstream', side('a', 'start', '-', 500, 'start', '-', 1), { left: { upstream: 500 } }],
    ['downstream', side('a', 'stop', '+', '1', 'stop', '+', '70'), { left: { downstream: 70 } }],
    [
      'custom',
      side('a', 'stop', '-', '3', 'stop', '+', '4'),
      { left: { begin: end('stop', 'upstream', 3), end: end('stop', 'downstream', 4) } },
    ],
    ['strand', { span_strand: 'Both strands' }, { strand: 'both' }],
    ['strand', { span_strand: 'opposite strand' }, { strand: 'opposite' }],
    ['operation', { span_operation: 'overlap' }, { operation: 'overlap' }],
    ['operation', { span_operation: 'b_contain_a' }, { operation: 'within' }],
    ['output', { span_output: 'a' }, { output: 'left' }],
    ['no strand, no operation', { span_strand: null, span_operation: null }, { strand: 'both', operation: 'overlap' }],
  ])('%s %j', (_, change, expected) => {
    expect(colocateOf({ ...SPAN, ...change })).toMatchObject(expected);
  });

  test('what is only shown is named as not read', () => {
    const result = compile({ ...SPAN, region_a: 'upstream', span_sentence: 'Genes near motifs' });
    expect(result.ok && result.warnings[0]!.message).toMatch(/"span_sentence", "region_a" are not read/);
  });

  test.each<[string, object, string]>([
    ['a name that is none', { span_strands: 'x' }, `${PLACE}.span_strands`],
    ['a name of ours among them', { upstream: 5 }, `${PLACE}.upstream`],
    ['another strand', { span_strand: 'both' }, `${PLACE}.span_strand`],
    ['another operation', { span_operation: 'contains' }, `${PLACE}.span_operation`],
    ['the output that the site refuses', { span_output: 'none' }, `${PLACE}.span_output`],
    ['no output', { span_output: undefined }, `${PLACE}.span_output`],
    ['no anchor', { span_begin_a: undefined }, `${PLACE}.span_begin_a`],
    ['another direction', { span_end_direction_b: 'upstream' }, `${PLACE}.span_end_direction_b`],
    ['an offset with a sign', { span_end_offset_b: '-5' }, `${PLACE}.span_end_offset_b`],
  ])('%s is refused', (_, change, path) => {
    const written = Object.fromEntries(
      Object.entries({ ...SPAN, ...change }).filter(([, value]) => value !== undefined),
    );
    expect(issuesOf(compile(written))).toMatchObject([{ code: 'invalid-colocate', path }]);
  });

  test('flat parameters of ours beside them are refused', () => {
    expect(issuesOf(compile(SPAN, { strand: 'same' }))).toMatchObject([{ path: '$.plan.strand' }]);
  });
});

function side(name: 'a' | 'b', ...values: (string | number)[]): object {
  const [begin, beginDirection, beginOffset, last, endDirection, endOffset] = values;
  return {
    [`span_begin_${name}`]: begin,
    [`span_begin_direction_${name}`]: beginDirection,
    [`span_begin_offset_${name}`]: beginOffset,
    [`span_end_${name}`]: last,
    [`span_end_direction_${name}`]: endDirection,
    [`span_end_offset_${name}`]: endOffset,
  };
}

function compile(colocate: object, flat: object = {}): CompileResult {
  const plan = { operator: 'COLOCATE', left: { task: 'A' }, right: { task: 'B' }, colocate, ...flat };
  return compilePlan({ goal: 'x', plan });
}

function compiled(colocate: object) {
  const result = compile(colocate);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.plan;
}

function colocateOf(colocate: object): Colocate | undefined {
  return compiled(colocate).combines[0]!.colocate;
}

function issuesOf(result: CompileResult): readonly PlanIssue[] {
  if (result.ok) throw new Error('It compiled.');
  return result.issues.filter(({ severity }) => severity === 'error');
}
