import { describe, expect, test } from 'vitest';
import { compilePlan } from '../../../src/plan/index.ts';
import type { CompileOptions, CompiledPlan } from '../../../src/plan/index.ts';

const step = (id: string, more = ''): string =>
  `<step id="${id}"><agent>Writer</agent><action>write</action>${more}<description>Do ${id}</description></step>`;
const plan = (...steps: string[]): string => `<plan><objective>Goal</objective>${steps.join('')}</plan>`;

interface Outcome {
  readonly plan: CompiledPlan | undefined;
  /** Without the respond that is added to every list here. */
  readonly codes: readonly string[];
}

function outcome(text: string, options: CompileOptions = {}): Outcome {
  const result = compilePlan(text, options);
  const issues = (result.ok ? result.warnings : result.issues).filter(({ code }) => code !== 'added-respond');
  return { plan: result.ok ? result.plan : undefined, codes: issues.map(({ code, path }) => `${code} ${path}`) };
}

const dependencies = (text: string): readonly (readonly string[])[] | undefined =>
  outcome(text)
    .plan?.tasks.slice(0, -1)
    .map(({ dependsOn }) => dependsOn);

test('Calute: XML plans: all of their elements', () => {
  const text = `<plan>
    <objective>Analyse the market</objective><complexity>high</complexity><estimated_time>30</estimated_time>
    <step id="1"><agent>Researcher</agent><action>research</action><arguments><topic>AI</topic></arguments><dependencies></dependencies><description>Research it</description></step>
    <step id="2"><agent> writer </agent><action>write</action><arguments><input>result_from_step_1</input></arguments><dependencies>1</dependencies><description>Write it</description></step>
  </plan>`;
  const result = compilePlan(text, { agents: ['Researcher', 'Writer'] });
  expect(result).toMatchObject({
    ok: true,
    warnings: [{ code: 'added-respond' }],
    plan: {
      goal: 'Analyse the market',
      complexity: 'high',
      estimatedMinutes: 30,
      tasks: [
        {
          contextKey: '1',
          agent: 'Researcher',
          action: 'research',
          task: 'Research it',
          arguments: { topic: 'AI' },
          dependsOn: [],
        },
        { contextKey: '2', agent: 'writer', arguments: { input: 'result_from_step_1' }, dependsOn: ['node_1'] },
        { capability: 'respond', dependsOn: ['node_1', 'node_2'] },
      ],
    },
  });
});

test('a step may name a capability, which goes before its agent, and has parameters too', () => {
  const named =
    '<step id="1"><agent>Writer</agent><capability>count</capability><parameters><of>x</of></parameters><description>Do</description></step>';
  expect(outcome(plan(named)).plan?.tasks[0]).toMatchObject({ capability: 'count', arguments: { of: 'x' } });
  expect(outcome(plan(named.replace('>count<', '> <'))).codes).toEqual(['unknown-capability $.steps[0].capability']);
});

test('Calute: the same plan as JSON is the same plan', () => {
  const json = { objective: 'Goal', steps: [{ step_id: 1, agent: 'Writer', action: 'write', description: 'Do 1' }] };
  const fromJson = compilePlan(json);
  expect(fromJson.ok && outcome(plan(step('1'))).plan).toEqual(fromJson.ok && fromJson.plan);
});

describe('Calute: XML plans: what models get wrong is repaired, each with a warning', () => {
  test.each<[string, string, readonly string[]]>([
    ['prose and fences', `Here:\n\`\`\`xml\n${plan(step('1'))}\n\`\`\`\nDone.`, ['surrounding-text $']],
    ['a leaked think block', `<think><plan><step/></plan></think>${plan(step('1'))}`, ['surrounding-text $']],
    ['a think block whose start was lost', `a <plan>? </think>\n${plan(step('1'))}`, ['surrounding-text $']],
    ['a wrapper', plan(`<steps>${step('1')}</steps>`), ['repaired-syntax $.steps']],
    [
      'a raw ampersand',
      plan(step('1', '<arguments><q>a & b &nbsp; &amp; &lt;</q></arguments>')),
      ['repaired-syntax $.steps[0].arguments.q', 'repaired-syntax $.steps[0].arguments.q'],
    ],
    ['an end that is cut off', plan(step('1')).slice(0, -7), ['repaired-syntax $']],
    ['an end that is cut in the middle', plan(step('1')).slice(0, -3), ['repaired-syntax $']],
    [
      'the end of a wrapper',
      `<plan><objective>Goal</objective><steps>${step('1')}</ste`,
      ['repaired-syntax $', 'repaired-syntax $.steps'],
    ],
    [
      'an attribute in place of an element',
      '<plan><objective>Goal</objective><step id="1" agent="Writer"><action>write</action><description>Do 1</description></step></plan>',
      ['repaired-syntax $.steps[0].agent'],
    ],
    ['an XML declaration', `<?xml version="1.0" encoding="UTF-8"?>\n${plan(step('1'))}`, []],
    ['a comment', plan(`<!-- <step id="9"/> -->${step('1')}`), []],
  ])('%s', (_, text, codes) => {
    const { plan: read, codes: found } = outcome(text);
    expect(found).toEqual(codes);
    expect(read?.tasks).toHaveLength(2);
    expect(read?.tasks[0]).toMatchObject({ contextKey: '1', agent: 'Writer', task: 'Do 1' });
  });

  test.each<[string, readonly string[], number]>([
    ['1,2', ['node_1', 'node_2'], 0],
    [' 1 , 2 ', ['node_1', 'node_2'], 0],
    ['', [], 0],
    ['none', [], 1],
    ['step 1', ['node_1'], 1],
    ['Step 1, Step #2', ['node_1', 'node_2'], 1],
    ['1,', ['node_1'], 1],
    ['1; 2', ['node_1', 'node_2'], 1],
    ['1 2', ['node_1', 'node_2'], 1],
    ['1 and 2', ['node_1', 'node_2'], 1],
    ['[1, 2]', ['node_1', 'node_2'], 1],
    ['<dep>1</dep><dep>2</dep>', ['node_1', 'node_2'], 1],
    ['<dependency>step 1</dependency>', ['node_1'], 2],
  ])('dependencies %j', (written, ids, repairs) => {
    const text = plan(step('1'), step('2'), step('3', `<dependencies>${written}</dependencies>`));
    expect(dependencies(text)?.[2]).toEqual(ids);
    expect(outcome(text).codes).toEqual(
      Array.from({ length: repairs }, () => 'repaired-syntax $.steps[2].dependencies'),
    );
  });
});

describe('text', () => {
  test('the five entities and numeric ones are decoded, others stay', () => {
    const { plan: read } = outcome(
      plan(step('1', '<arguments><q>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;&hearts;</q></arguments>')),
    );
    expect(read?.tasks[0]?.arguments).toEqual({ q: `<>&"'A😀&hearts;` });
  });

  test('CDATA is text and nothing else', () => {
    const { plan: read } = outcome(plan(step('1', '<arguments><q><![CDATA[</plan><step/> &amp; ]]></q></arguments>')));
    expect(read?.tasks[0]?.arguments).toEqual({ q: '</plan><step/> &amp;' });
  });

  test('nested arguments are objects, and nothing in them is lost', () => {
    const { plan: read } = outcome(
      plan(step('1', '<arguments><q>a <b c="d">e</b> f</q><list><i>1</i><i>2</i></list><none/></arguments>')),
    );
    expect(read?.tasks[0]?.arguments).toEqual({
      q: { '#text': 'a  f', b: { '@c': 'd', '#text': 'e' } },
      list: { i: ['1', '2'] },
      none: null,
    });
  });

  test('an argument named __proto__ is an argument', () => {
    const { plan: read } = outcome(plan(step('1', '<arguments><__proto__>x</__proto__></arguments>')));
    expect(JSON.stringify(read?.tasks[0]?.arguments)).toBe('{"__proto__":"x"}');
  });
});

test('every problem has its line and column', () => {
  const result = compilePlan(
    'Here:\n<plan>\n  <objective>a & b</objective>\n  <step id="1"><agent>a</agent><agent>b</agent></step>\n</plan>',
  );
  const places = result.ok ? [] : result.issues.map(({ code, line, column }) => `${code} ${line}:${column}`);
  expect(new Set(places)).toEqual(
    new Set([
      'repaired-syntax 3:16',
      'duplicate-key 4:32',
      'surrounding-text 1:1',
      'missing-task 4:3',
      'added-respond 2:1',
    ]),
  );
});

test('format xml looks for nothing else, and the other formats never for XML', () => {
  expect(outcome(`{"goal":"x","plan":{"task":"A"}} ${plan(step('1'))}`, { format: 'xml' }).plan?.goal).toBe('Goal');
  expect(outcome(plan(step('1')), { format: 'tree' }).codes).toEqual(['unknown-format $']);
});
