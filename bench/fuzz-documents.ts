/** Documents for fuzzing the compiler: valid ones of every format, changed at random, and texts that are nothing. */

import type { CompileOptions, CompiledPlan, PlanNode } from '../src/plan/index.ts';
import { compilePlan, stepsDocument } from '../src/plan/index.ts';

export interface FuzzDocument {
  readonly text: string;
  readonly options: CompileOptions;
}

/** Slower is a fault. The text is short, so that this is generous. */
export const MOST_MS = 100;

export function fuzzDocument(random: () => number): FuzzDocument {
  const { text, options } = pick(SEEDS, random);
  if (random() < 0.05) return { text: noise(random), options };
  let changed = text;
  for (let edits = Math.floor(random() * 4); edits >= 0; edits--) changed = edited(changed, random);
  return { text: changed, options };
}

/** What is wrong with the answer to a document, if anything: it threw, it took too long, or its plan is not what it prints. */
export function faultOf({ text, options }: FuzzDocument): string | undefined {
  const start = performance.now();
  const result = compilePlan(text, options);
  const ms = performance.now() - start;
  if (ms > MOST_MS) return `it took ${Math.round(ms)} ms`;
  if (!result.ok)
    return result.issues.some(({ severity }) => severity === 'error') ? undefined : 'it was refused without an error';
  const { plan } = result;
  const printed = stepsDocument(plan) ?? treeDocument(plan);
  const again = compilePlan(JSON.stringify(printed), { contextKeys: plan.external ?? [] });
  if (!again.ok) return `its printed form is refused: ${JSON.stringify(again.issues[0])}`;
  return again.plan.digest === plan.digest
    ? undefined
    : `its printed form ${JSON.stringify(printed)} has another digest`;
}

function treeDocument(plan: CompiledPlan): unknown {
  return { goal: plan.goal, plan: written(plan.nodesById[plan.root]!) };

  function written(node: PlanNode): unknown {
    if (node.kind === 'combine') {
      const { operator, displayName, colocate } = node;
      return {
        operator,
        displayName,
        inputs: node.inputs.map((id) => written(plan.nodesById[id]!)),
        ...(colocate !== undefined && { colocate: colocateOf(colocate) }),
      };
    }
    const { task, hint, context, capability, arguments: args, agent, displayName, dependsOn } = node;
    const input = dependsOn.length === 0 ? undefined : written(plan.nodesById[dependsOn[0]!]!);
    return { task, hint, context, capability, arguments: args, agent, displayName, input };
  }
}

/** The full form has regions in place of the window. */
function colocateOf({
  upstream,
  downstream,
  ...rest
}: NonNullable<CompiledPlan['combines'][number]['colocate']>): object {
  return rest.left === undefined && rest.right === undefined ? { upstream, downstream, ...rest } : rest;
}

const TREE = {
  goal: 'Find targets',
  plan: {
    type: 'combine',
    operator: 'MINUS_LEFT',
    display_name: 'Left',
    left: { task: 'A', hint: 'h', context: { b: [1, null, true], a: 'x' }, capability: 'search', arguments: { n: 5 } },
    right: {
      op: 'COLOCATE',
      inputs: [
        { text: 'A', instructions: 'h' },
        { task: 'B', input: { task: 'C', agent: 'Analyst' } },
      ],
      upstream: 1000,
      strand: 'same',
    },
  },
};
const STEPS = {
  goal: 'Weather',
  complexity: 'high',
  estimated_time: 12,
  steps: [
    {
      context_key: 'a',
      capability: 'search',
      task_objective: 'Search',
      expected_output: 'X',
      success_criteria: 'Y',
      inputs: ['out', { T: 'more' }],
      parameters: { q: [1, 'x'] },
    },
    {
      step_id: 2,
      agent: 'Writer',
      action: 'write',
      arguments: { input: 'result_from_step_1' },
      dependencies: ['a'],
      description: 'Write of result_from_step_a',
    },
    { context_key: 'c', capability: 'Respond', task_objective: 'Answer', inputs: ['a', { U: '2' }] },
  ],
};
const XML =
  '<think>a <plan/></think>```xml\n<plan><objective>Goal &amp; more</objective><complexity>low</complexity><estimated_time>5 min</estimated_time><steps>' +
  '<step id="1"><agent>A</agent><action>b</action><arguments><q>1 & 2</q><n><x>1</x><x>2</x></n></arguments><dependencies>none</dependencies><description>D</description></step>' +
  '<step id="2"><agent>B</agent><action><![CDATA[c < d]]></action><arguments><q>result_from_step_1</q></arguments><dependencies>step 1</dependencies></step></steps></plan>\n```';
const YAML =
  'goal: g\nplan:\n  op: or\n  left: &a\n    task: A\n    context: {x: [1, 2], y: "z"}\n  right: {task: B, input: *a}\n';
const BROKEN =
  'Here:\n```json\n{\'goal\': \'g\', plan: {task: "A", "hint": "say "hi"", context: {x: True, y: None,},} /* it */}\n```';

const contextKeys = ['out', 'more'];
const SEEDS: readonly FuzzDocument[] = [
  { text: JSON.stringify(TREE), options: {} },
  { text: JSON.stringify(TREE, null, 1), options: {} },
  { text: JSON.stringify(STEPS), options: { contextKeys } },
  { text: JSON.stringify(STEPS, null, 2), options: { contextKeys } },
  { text: XML, options: {} },
  { text: XML, options: { format: 'xml' } },
  { text: YAML, options: { syntax: 'yaml' } },
  { text: BROKEN, options: {} },
];
const PIECES = [
  ...Array.from('{}[]:,"\'`\\<>/&;#-_ \n\t0123456789.eE=*!?|~^@%'),
  ...[
    '```',
    '<think>',
    '</think>',
    '<plan>',
    '</plan>',
    '<step id="3">',
    '</step>',
    '<steps>',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '<!DOCTYPE x>',
    '&lt;',
    '&#0;',
    '&x;',
  ],
  ...[
    'null',
    'true',
    'True',
    'None',
    'NaN',
    '1e999',
    '"goal"',
    '"plan"',
    '"steps"',
    '"task":"Z",',
    '"inputs":["a"],',
    'result_from_step_',
    'result_from_step_1',
    '__proto__',
    'constructor',
  ],
  ...[
    '\u0000',
    '\ud800',
    '\u2028',
    '\ufeff',
    '\u202e',
    'é',
    '😀',
    '&a ',
    '*a',
    '- ',
    ': ',
    '? ',
    '!!x ',
    '---\n',
    '//',
    '/*',
    '*/',
  ],
];

function edited(text: string, random: () => number): string {
  const at = Math.floor(random() * (text.length + 1));
  const length = Math.floor(random() ** 3 * 40);
  switch (Math.floor(random() * 6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + length);
    case 1:
      return text.slice(0, at) + pick(PIECES, random).repeat(random() < 0.05 ? 300 : 1) + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at, at + length) + text.slice(at);
    case 3:
      return text.slice(0, at) + pick(PIECES, random) + text.slice(at + 1);
    case 4:
      return random() < 0.3 ? text.slice(0, at) : text.slice(at);
    default: {
      const other = pick(SEEDS, random).text;
      const from = Math.floor(random() * other.length);
      return text.slice(0, at) + other.slice(from, from + length * 3) + text.slice(at);
    }
  }
}

function noise(random: () => number): string {
  let text = '';
  for (let pieces = Math.floor(random() * 60); pieces > 0; pieces--) text += pick(PIECES, random);
  return text;
}

function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)]!;
}
