/** The stage that writes the plan: what a reply becomes, and what is told back of one that is no plan. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FOREIGN_KEYS } from '../../src/plan/names.ts';
import { renderTree, type JsonValue } from '../../src/plan/index.ts';
import { openNotes, withAnswers, writeNodes, type PlannerNotes } from '../../src/planner/index.ts';
import { writePlan } from '../../src/planner/write-plan.ts';
import {
  compilerOf,
  plannerOf,
  modelError,
  researcher,
  writer,
  type Line,
  type Script,
} from '../support/scripted-planner.ts';

const TREE = {
  explanation: 'What is up and not essential.',
  nodes: [
    { id: 'a', task: 'Find up', capability: 'search', arguments: { text: 'up' } },
    { id: 'b', task: 'Find essential', capability: 'search', arguments: { text: 'essential' } },
    { id: 'c', operator: 'MINUS', inputs: ['a', 'b'] },
  ],
};

async function write(script: Script, notes: PlannerNotes = openNotes('Find targets'), more = {}) {
  const planner = plannerOf(script, { agents: [researcher, writer], ...more });
  const contextKeys = notes.context.map(({ key }) => key);
  const staged = await writePlan(planner, notes, compilerOf(planner, contextKeys));
  return { ...staged, planner };
}

const lastMessage = (planner: { asked: { request: { messages: readonly { content: string }[] } }[] }) =>
  planner.asked.at(-1)!.request.messages.at(-1)!.content;

test('Osprey: structured output: a flat list becomes a tree with the goal of the run', async () => {
  const { outcome, notes } = await write({ write: [{ json: TREE }] });
  expect(outcome).toMatchObject({ is: 'written', warnings: [] });
  expect(notes.written).toMatchObject({ goal: 'Find targets' });
  if (outcome.is !== 'written') throw new Error('no plan');
  const { plan } = outcome.compiled;
  expect(plan.combines).toMatchObject([{ operator: 'MINUS', inputs: ['node_1', 'node_2'] }]);
  expect(renderTree(plan)).toContain('Find essential');
});

test('a key of another system is read, and the reply is not bought again', async () => {
  const nodes = [
    { id: 'a', task: 'Find up', capability: 'search', arguments: { text: 'up' } },
    { id: 'b', task: 'Find more', tool: 'search', args: { text: 'more' }, depends_on: ['a'] },
  ];
  const { outcome, planner } = await write({ write: [{ json: { nodes } }] });
  if (outcome.is !== 'written') throw new Error('no plan');
  expect(outcome.compiled.plan.tasks[1]).toMatchObject({ capability: 'search', dependsOn: ['node_1'] });
  const told = outcome.warnings
    .filter(({ code }) => code === 'unknown-key')
    .map(({ message }) => message.split(' ')[0]);
  expect(told.toSorted()).toEqual(['"args"', '"depends_on"', '"tool"']);
  expect(planner.asked).toHaveLength(1);
});

const FORMS: Readonly<Record<string, (more: object) => object>> = {
  nodes: (more) => ({
    nodes: [
      { id: 'a', task: 'Find up', capability: 'search', arguments: { text: 'up' } },
      { id: 'b', task: 'Find more', ...more },
    ],
  }),
  steps: (more) => ({
    steps: [
      { context_key: 'a', task_objective: 'Find up', capability: 'search', parameters: { text: 'up' } },
      { context_key: 'b', task_objective: 'Find more', ...more },
    ],
  }),
  tree: (more) => ({ plan: { task: 'Find more', ...more } }),
};

test('no key of another system is dropped from what a model writes without a word to it', async () => {
  const key = fc.constantFrom('input', 'inputs', ...new Set(Object.values(FOREIGN_KEYS).flat()));
  const value = fc.constantFrom<unknown>(
    'a',
    ['a'],
    { text: 'up' },
    { task: 'A' },
    [{ task: 'A' }],
    'search',
    ['a GPU'],
    7,
  );
  const form = fc.constantFrom(...Object.keys(FORMS));
  const called = { capability: 'search', arguments: { text: 'up' } };
  const beside = fc.constantFrom({}, called, { capability: 'search' }, { ...called, inputs: ['a'] });
  await fc.assert(
    fc.asyncProperty(form, key, value, beside, async (name, foreign, given, own) => {
      const { inputs: _, ...bare } = { inputs: [], ...own };
      const more = name === 'nodes' ? own : bare;
      const { outcome } = await write({ write: [{ json: FORMS[name]!({ ...more, [foreign]: given }) as JsonValue }] });
      const plain = await write({ write: [{ json: FORMS[name]!(more) as JsonValue }] });
      if (outcome.is !== 'written') return;
      const isRead =
        plain.outcome.is !== 'written' || outcome.compiled.plan.digest !== plain.outcome.compiled.plan.digest;
      const isSaid = outcome.warnings.some(({ path }) => path.endsWith(`.${foreign}`));
      const isTold = foreign in more || (['input', 'dependencies'].includes(foreign) && 'inputs' in more);
      const isSame = isTold && JSON.stringify([given].flat()) === JSON.stringify(['a']);
      expect(isRead || isSaid || isSame, JSON.stringify([name, foreign, given, more])).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test.each<[name: string, line: Line, said: string]>([
  ['empty', '', 'The reply is empty'],
  ['prose', 'I would search for genes first.', 'The reply is prose'],
  ['cut off in its text', '{"nodes":[{"id":"a","task":"Fi', 'The reply is no whole JSON'],
  ['cut off, as its server says', { text: JSON.stringify(TREE), value: TREE, finish: 'length' }, 'cut off'],
  ['refused', { text: 'I cannot help with that.', finish: 'refusal' }, 'a refusal'],
  ['filtered', { text: '', finish: 'content-filter' }, 'content filter'],
  ['refused, as an error', modelError('refusal', 'CRITICAL'), 'refusal happened'],
  ['cut off, as an error', modelError('cut-off', 'REPLANNING'), 'cut-off happened'],
  ['filtered, as an error', modelError('content-filter', 'CRITICAL'), 'content-filter happened'],
  ['not in the format, as an error', modelError('format-not-kept', 'REPLANNING'), 'format-not-kept happened'],
  ['a list', { json: [1, 2] }, 'a list of 2'],
  ['an object of something else', { json: { answer: 42 } }, '"answer"'],
  ['nodes that are no list', { json: { nodes: 'a' } }, '"nodes" is "a"'],
  ['too long', `{"nodes":[],"explanation":"${'x'.repeat(256 * 1024)}"}`, 'more than 262144'],
])('Calute: unparsable plans: a reply that is %s is invalid, and no exception', async (_name, line, said) => {
  const { outcome, notes } = await write({ write: [line] });
  expect(outcome).toMatchObject({ is: 'invalid', trouble: { severity: 'REPLANNING' } });
  if (outcome.is !== 'invalid') throw new Error('a plan');
  expect(outcome.trouble.message).toContain(said);
  expect(notes.turns).toMatchObject([{ is: 'try', trouble: outcome.trouble.message }]);
});

test('prose and a fence around the JSON are passed over, and a document in another form is taken', async () => {
  const around = await write({ write: [`Here it is:\n\`\`\`json\n${JSON.stringify(TREE)}\n\`\`\``] });
  const tree = { goal: 'Another goal', plan: { type: 'task', task: 'Find genes', agent: 'researcher' } };
  const other = await write({ write: [{ json: tree }] });
  expect(around.outcome.is).toBe('written');
  expect(other).toMatchObject({ outcome: { is: 'written' }, notes: { written: { goal: 'Find targets' } } });
});

test('Osprey: an empty list answers from what is known; in a revision it is a fault', async () => {
  const { outcome, notes } = await write({ write: [{ json: { nodes: [] } }] });
  expect(outcome).toMatchObject({ is: 'written', warnings: [{ code: 'added-respond', path: '$.nodes' }] });
  expect(notes.written).toMatchObject({ steps: [{ capability: 'respond', task_objective: 'Find targets' }] });
  const revise = { base: '{"nodes":[]}', feedback: 'less' };
  const again = await write({ write: [{ json: { nodes: [] } }] }, openNotes('Find targets', { revise }));
  expect(again.outcome).toMatchObject({ is: 'invalid', issues: [{ code: 'missing-plan', path: '$.nodes' }] });
});

test('a revision of a tree stays one where it can, and its faults are told by their nodes', async () => {
  const a = { id: 'a', task: 'Find', capability: 'search', arguments: { text: 'up' } };
  const revise = { base: '{"nodes":[]}', feedback: 'more', form: 'tree' } as const;
  const written = async (...nodes: JsonValue[]) =>
    (await write({ write: [{ json: { nodes } }] }, openNotes('Find targets', { revise }))).outcome;
  const row = await written(a, { id: 'b', task: 'Rank', capability: 'rank', inputs: ['a'] });
  expect(row.is === 'written' && row.compiled.plan.tasks.map(({ contextKey }) => contextKey)).toEqual([
    undefined,
    undefined,
  ]);
  const wide = await written(a, { ...a, id: 'b' });
  expect(wide.is === 'written' && wide.compiled.plan.tasks.map(({ contextKey }) => contextKey)).toContain('a');
  const wrong = await written({ ...a, hint: {} });
  expect(wrong).toMatchObject({ is: 'invalid', trouble: { message: expect.stringContaining('$.nodes[0].hint') } });
});

test.each([
  ['capability', { id: 'a', task: 'Find', capability: 'serach', arguments: { text: 'x' } }],
  ['agent', { id: 'a', task: 'Find', agent: 'reseacher' }],
])(
  'Osprey: hallucinated capabilities an unknown %s asks for another selection, and the model is told the names',
  async (kind, node) => {
    const { outcome, notes, planner } = await write({ write: [{ json: { nodes: [node] } }] });
    expect(outcome).toMatchObject({
      is: 'invalid',
      trouble: { severity: 'RECLASSIFICATION' },
      issues: [{ code: 'added-respond' }, { code: `unknown-${kind}`, path: `$.nodes[0].${kind}` }],
    });
    expect(planner.asked).toHaveLength(1);
    const again = await write({ write: [{ json: TREE }] }, notes);
    const { messages } = again.planner.asked[0]!.request;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[2]?.content).toBe(JSON.stringify({ nodes: [node] }));
    expect(lastMessage(again.planner)).toContain(`There is no ${kind}`);
    expect(lastMessage(again.planner)).toContain('Did you mean');
  },
);

test('Osprey: bad references: are replanned, each told with its place', async () => {
  const nodes = [{ id: 'a', task: 'Rank', capability: 'rank', inputs: ['genes'] }];
  const { outcome } = await write({ write: [{ json: { nodes } }] });
  expect(outcome).toMatchObject({
    is: 'invalid',
    trouble: { severity: 'REPLANNING' },
    issues: [{ code: 'added-respond' }, { code: 'unknown-reference', path: '$.nodes[0].inputs[0]', nodeId: 'a' }],
  });
});

describe('a question in the place of a plan', () => {
  const question = { text: 'Which assembly?', suggestions: ['hg19', 'hg38'] };

  test('is handed on, and its answer is told as data', async () => {
    const { outcome, notes } = await write({ write: [{ json: { question } }] });
    expect(outcome).toEqual({ is: 'asks', question });
    const again = await write({ write: [{ json: TREE }] }, withAnswers(notes, ['hg38']));
    expect(again.outcome.is).toBe('written');
    expect(lastMessage(again.planner)).toMatch(/<data-[0-9a-f]{16} source="the answer of a person">\n"hg38"\n/);
  });

  test.each([
    ['a blank text', { text: ' ' }],
    ['no text', { schema: {} }],
    ['a long text', { text: 'x'.repeat(2001) }],
    ['long suggestions', { text: 'Which?', suggestions: ['x'.repeat(8000)] }],
  ])('with %s is invalid', async (_name, wrong) => {
    const { outcome } = await write({ write: [{ json: { question: wrong } }] });
    expect(outcome).toMatchObject({ is: 'invalid', issues: [{ code: 'invalid-text', path: '$.question' }] });
  });
});

describe('Osprey: error severities: of calls for a plan', () => {
  test('one that another attempt may cure is thrown, for that attempt to be made', async () => {
    const error = modelError('connection', 'RETRIABLE');
    await expect(write({ write: [error] }, undefined, { isLastAttempt: false })).rejects.toBe(error);
  });

  test.each(['connection', 'quota', 'auth', 'context-too-long'])('%s at the last attempt has failed', async (kind) => {
    const severity = kind === 'connection' ? 'RETRIABLE' : 'CRITICAL';
    const { outcome, notes } = await write({ write: [modelError(kind, severity, { forPeople: 'Mend it.' })] });
    expect(outcome).toEqual({ is: 'failed', trouble: { severity, message: `${kind} happened. Mend it.` } });
    expect(notes.turns).toEqual([]);
  });

  test('what is no failure of a model, and a call that was stopped, are thrown', async () => {
    const stopped = modelError('cancelled', 'RETRIABLE');
    await expect(write({ write: [stopped] })).rejects.toBe(stopped);
    await expect(write({ write: [] })).rejects.toThrow('the script has nothing (more) for write');
  });
});

test('only what was selected is offered; of a revision, which selects nothing, all', async () => {
  const offered = async (selected: readonly string[]) => {
    const { planner } = await write({ write: [{ json: TREE }] }, openNotes('Find targets', { selected }));
    const { content } = planner.asked[0]!.request.messages[0]!;
    return ['search', 'rank', 'plot'].filter((name) => content.includes(`- ${name}:`));
  };
  expect(await offered(['search', 'respond'])).toEqual(['search']);
  expect(await offered([])).toEqual(['search', 'rank', 'plot']);
});

test('a revision shows the open plan as the model would write it, and what a person wants', async () => {
  const first = await write({ write: [{ json: TREE }] });
  if (first.outcome.is !== 'written') throw new Error('no plan');
  const base = writeNodes(first.outcome.compiled.plan);
  const notes = openNotes('Find targets', { revise: { base, feedback: 'Leave out the essential ones.' } });
  const { planner } = await write({ write: [{ json: TREE }] }, notes);
  expect(lastMessage(planner)).toContain(base);
  expect(lastMessage(planner)).toContain('Leave out the essential ones.');
});

test('Osprey: replanning: a plan that is made anew is shown with how it went, and no person is named', async () => {
  const revise = { base: '{"nodes":[]}', feedback: 'failed:\n- a, REPLANNING: gone', lost: ['node_1'] };
  const { planner } = await write({ write: [{ json: TREE }] }, openNotes('Find targets', { revise }));
  expect(lastMessage(planner)).toContain('How its nodes went when they were carried out:');
  expect(lastMessage(planner)).toContain('- a, REPLANNING: gone');
  expect(lastMessage(planner)).toContain('A node that failed cannot stay as it is');
  expect(lastMessage(planner)).not.toContain('a person');
});

describe('Calute: XML plans: as the form of the planner', () => {
  const xml = (agent: string) => `Here:
<plan><objective>Another objective</objective><complexity>low</complexity><estimated_time>3</estimated_time>
<step id="1"><agent>${agent}</agent><action>find</action><arguments><topic>markets</topic></arguments><dependencies></dependencies><description>Find figures</description></step>
<step id="2"><agent>writer</agent><action>write</action><arguments><text>result_from_step_1</text></arguments><dependencies>1</dependencies><description>Write it up</description></step>
</plan>`;

  test('the steps are read, the goal stays', async () => {
    const { outcome, notes, planner } = await write({ write: [xml('researcher')] }, undefined, { format: 'xml' });
    expect(notes.written).toMatchObject({ goal: 'Find targets', complexity: 'low' });
    if (outcome.is !== 'written') throw new Error('no plan');
    expect(outcome.compiled.plan.tasks.map(({ agent, capability }) => agent ?? capability)).toEqual([
      ...['researcher', 'writer', 'respond'],
    ]);
    expect(outcome.warnings.map(({ code }) => code)).toContain('added-respond');
    expect(planner.asked[0]?.request.format).toBeUndefined();
    expect(planner.asked[0]?.request.messages[0]?.content).toContain('- researcher: Finds sources. (search)');
  });

  test.each([
    ['truncated', { text: xml('researcher').slice(0, 200) }, 'REPLANNING'],
    [
      'cut off after a whole step',
      { text: xml('researcher').split('<step id="2">')[0]!, finish: 'length' },
      'REPLANNING',
    ],
    ['empty', { text: '' }, 'REPLANNING'],
    ['of an unknown agent', { text: xml('stranger') }, 'RECLASSIFICATION'],
  ] as const)('a reply that is %s is invalid', async (_name, line, severity) => {
    const { outcome } = await write({ write: [line] }, undefined, { format: 'xml' });
    expect(outcome).toMatchObject({ is: 'invalid', trouble: { severity } });
  });
});
