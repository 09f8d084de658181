/** A plan in every form in which models write one, through the one reader. */

import { describe, expect, test } from 'vitest';
import { readPlanReply, withKnownNames } from '../../../src/planner/form/index.ts';

const node = { id: 'a', task: 'Find', capability: 'search' };
const step = { context_key: 'a', task_objective: 'Find', capability: 'search' };
const tree = { type: 'task', task: 'Find' };
const read = (value: unknown) => readPlanReply({ text: JSON.stringify(value) });

test.each<[name: string, value: unknown, found: object]>([
  ['a list of nodes', { nodes: [node] }, { is: 'document', document: { nodes: [node] } }],
  ['steps (Osprey)', { steps: [step] }, { is: 'document', document: { steps: [step] } }],
  ['a goal with a tree (Pathfinder)', { goal: 'g', plan: tree }, { is: 'document', document: { plan: tree } }],
  ['nodes by themselves', [node], { is: 'document', document: { nodes: [node] } }],
  ['steps by themselves', [step], { is: 'document', document: { steps: [step] } }],
  ['nodes in a plan', { plan: { nodes: [node] } }, { is: 'document', document: { nodes: [node] } }],
  ['a plan that is a list', { goal: 'g', plan: [node] }, { is: 'document', document: { nodes: [node] } }],
  ['steps in something else', { result: { steps: [step] } }, { is: 'document', document: { steps: [step] } }],
  ['a tree in something else', { output: { plan: tree } }, { is: 'document', document: { plan: tree } }],
  ['no nodes', { nodes: [] }, { is: 'document', document: { nodes: [] } }],
  ['a question', { question: { text: 'Which?' } }, { is: 'question', question: { text: 'Which?' } }],
  [
    'a question as the only node',
    { nodes: [{ question: 'Which?', suggestions: ['a'] }], explanation: 'x' },
    { is: 'question', question: { text: 'Which?', suggestions: ['a'] } },
  ],
])('%s', (_name, value, found) => {
  expect(read(value)).toMatchObject(found);
  expect(read(value)).not.toMatchObject({ ignored: [expect.anything()] });
});

test('XML (Calute), in whatever form a plan was asked for', () => {
  const text = 'Here:\n```xml\n<plan><objective>x</objective></plan>\n```';
  expect(readPlanReply({ text })).toEqual({ is: 'xml', text, ignored: [] });
  expect(readPlanReply({ text: '{"nodes":[],"explanation":"a <plan> of none"}' })).toMatchObject({ is: 'document' });
});

describe('of several plans in a reply the last whole one counts, and that is said', () => {
  const draft = JSON.stringify({ nodes: [{ ...node, task: 'Draft' }] });
  const better = JSON.stringify({ nodes: [{ ...node, task: 'With "braces" } in it' }] });
  test.each<[text: string, task: string, told: number]>([
    [`Draft: ${draft} Better: ${better}`, 'With "braces" } in it', 1],
    [`\`\`\`json\n${draft}\n\`\`\`\nNo:\n\`\`\`json\n${better}\n\`\`\``, 'With "braces" } in it', 1],
    [`${draft}${better}`, 'With "braces" } in it', 1],
    [`${better} That takes {"no": "plan"}, or half of one: {"nodes":[`, 'With "braces" } in it', 0],
    [`<think>${draft}</think>${better}`, 'With "braces" } in it', 0],
    [`${draft} {"nodes":[{"id":"b","task":`, 'Draft', 0],
  ])('%s', (text, found, told) => {
    const reply = readPlanReply({ text });
    if (told === 0 && reply.is === 'nothing') return;
    expect(reply).toMatchObject({ is: 'document', document: { nodes: [{ task: found }] } });
    const said = 'ignored' in reply ? reply.ignored.map(({ message }) => message) : [];
    expect(said).toEqual(told === 0 ? [] : ['The reply has 2 plans, and the last one counts.']);
  });

  const xml = (what: string) => `<plan><objective>${what}</objective></plan>`;
  const yaml = (what: string) => `steps:\n  - context_key: a\n    task_objective: ${what}\n`;
  const inYaml = { is: 'document', document: { steps: [{ task_objective: 'final' }] } };
  test.each<[string, string, object]>([
    ['XML', `${xml('draft')} Better: ${xml('final {')}`, { is: 'xml', text: xml('final {') }],
    ['XML with a brace in a draft', `${xml('draft {')}${xml('final')}`, { is: 'xml', text: xml('final') }],
    ['XML behind JSON', `${draft}\n${xml('final')}`, { is: 'xml', text: xml('final') }],
    ['JSON behind XML', `${xml('draft')}\n${draft}`, { is: 'document', document: { nodes: [{ task: 'Draft' }] } }],
    ['YAML', `${yaml('draft')}---\n${yaml('final')}`, inYaml],
    ['YAML in fences', `\`\`\`yaml\n${yaml('draft')}\`\`\`\nNo:\n\`\`\`yaml\n${yaml('final')}\`\`\`\n`, inYaml],
  ])('in every syntax: %s', (_, text, found) => {
    const message = 'The reply has 2 plans, and the last one counts.';
    expect(readPlanReply({ text })).toMatchObject({ ...found, ignored: [{ message }] });
  });

  test('a text of nothing but braces is read in bounded time', () => {
    expect(readPlanReply({ text: '{"'.repeat(500_000) })).toMatchObject({ is: 'nothing' });
    expect(readPlanReply({ text: '{<plan>'.repeat(140_000) })).toMatchObject({ is: 'nothing' });
    expect(readPlanReply({ text: '---\n{'.repeat(160_000) })).toMatchObject({ is: 'nothing' });
  });
});

test.each<[value: object, told: readonly string[]]>([
  [{ nodes: [node], approved: true, options: {} }, ['"approved"', '"options"']],
  [{ steps: [step], approved: true, goal: 'another' }, ['"approved"']],
  [{ goal: 'g', plan: tree, approved: true }, ['"approved"']],
  [{ plan: { nodes: [node] }, confidence: 1 }, ['"confidence"']],
  [{ nodes: [node, { question: 'Which?' }] }, ['A question beside a plan']],
])('what stands beside a plan changes nothing, and is said to: %j', (value, told) => {
  const reply = read(value);
  const said = 'ignored' in reply ? reply.ignored : [];
  expect(said).toHaveLength(told.length);
  for (const [at, part] of told.entries()) {
    expect(said[at]).toMatchObject({
      code: 'ignored-key',
      severity: 'warning',
      message: expect.stringContaining(part),
    });
  }
});

test.each<[name: string, text: string, code: string]>([
  ['half a reply', '{"nodes":[{"id":"a"', 'invalid-json'],
  ['a key that stands twice', '{"nodes":[],"nodes":[{"id":"a"}]}', 'invalid-json'],
  ['prose', 'First I would search.', 'not-text'],
  ['nothing', ' ', 'empty-document'],
  ['a list of numbers', '[1, 2]', 'unknown-format'],
  ['another object', '{"answer":42}', 'missing-plan'],
  ['two plans', '{"a":{"nodes":[{"id":"a"}]},"b":{"nodes":[{"id":"b"}]}}', 'missing-plan'],
])('no plan: %s', (_name, text, code) => {
  expect(readPlanReply({ text })).toMatchObject({ is: 'nothing', issues: [{ code }] });
});

test('a capability with a namespace before its name is the one that there is, with a warning', () => {
  const nodes = ['functions.read', 'default_api.mcp.t.echo', 'read', 'tools.other', '.'].map((capability) => ({
    capability,
  }));
  const { plan, changed } = withKnownNames({ nodes }, [{ name: 'read' }, { name: 'mcp.t.echo' }]);
  expect(plan.nodes.map(({ capability }) => capability)).toEqual(['read', 'mcp.t.echo', 'read', 'tools.other', '.']);
  expect(changed.map(({ message }) => message)).toEqual([
    'There is no capability "functions.read"; it is read as "read".',
    'There is no capability "default_api.mcp.t.echo"; it is read as "mcp.t.echo".',
  ]);
});

test('what a model wrote in place of the name of a capability is left to the compiler', () => {
  const nodes = [{ toString: [] }, 7, null].map((capability) => ({ capability }));
  expect(withKnownNames({ nodes }, [{ name: 'read' }])).toEqual({ plan: { nodes }, changed: [] });
});
