/** Replies to a request for a plan, from a server through a client: each form of the source systems costs one call. */

import { expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createPlan } from '../../src/planner/index.ts';
import { openAIClient } from '../../src/models/index.ts';
import { chatDelta, chatEvents, startModelServer, type Answer } from '../support/model-server.ts';
import { catalogueOf, rank, search } from '../support/scripted-planner.ts';

interface Body {
  readonly messages: readonly { readonly content: string }[];
  readonly response_format: { readonly json_schema: { readonly strict: boolean; readonly schema: PlanSchema } };
}
type PlanSchema = { readonly properties: { readonly nodes: { readonly minItems: number } } };

const ARGUMENTS = { text: 'kinase' };
const node = { id: 'a', capability: 'search', arguments: ARGUMENTS, task: 'Find kinases' };
const step = { context_key: 'a', task_objective: 'Find kinases', capability: 'search', parameters: ARGUMENTS };
const tree = { type: 'task', task: 'Find kinases', capability: 'search', arguments: ARGUMENTS };

function planned(replies: readonly unknown[], format: 'nodes' | 'xml' = 'nodes') {
  const texts = replies.map((reply) => (typeof reply === 'string' ? reply : JSON.stringify(reply)));
  return plannedBy(
    texts.map((text) => ({ events: chatEvents([text]) })),
    format,
  );
}

async function plannedBy(answers: readonly Answer[], format: 'nodes' | 'xml' = 'nodes') {
  const server = await startModelServer(answers);
  const model = openAIClient({ baseURL: server.baseURL, name: 'tiny', api: 'chat', format: 'json_schema' });
  const capabilities = createRegistry([search, rank]).all;
  const catalogue = catalogueOf([search, rank], []);
  const made = await createPlan('Find kinases', [], { model, capabilities, catalogue, format, sleep: async () => {} });
  return { ...made, asked: server.asked.map(({ body }) => body as unknown as Body) };
}

test.each<[name: string, reply: unknown]>([
  ['a list of nodes', { nodes: [node], explanation: 'One search.' }],
  ['nodes beside an approval', { nodes: [node], approved: true }],
  ['a key that a node does not have', { nodes: [{ ...node, confidence: 0.9 }] }],
  ['steps (Osprey)', { steps: [step] }],
  ['steps beside their thoughts', { thoughts: 'A search will do.', steps: [step] }],
  ['a goal with a plan (Pathfinder)', { goal: 'Another goal', plan: tree }],
  ['nodes in a plan', { plan: { nodes: [node] } }],
  ['nodes by themselves', [node]],
  ['prose around it', `Here it is:\n\`\`\`json\n${JSON.stringify({ nodes: [node] })}\n\`\`\``],
  [
    'XML (Calute)',
    '<plan><objective>x</objective><step id="1"><capability>search</capability><action>find</action>' +
      '<arguments><text>kinase</text></arguments><dependencies></dependencies><description>Find kinases</description></step></plan>',
  ],
])('%s: one call', async (_name, reply) => {
  const { fallback, usage, plan } = await planned([reply]);
  expect({ fallback, calls: usage.calls }).toEqual({ fallback: false, calls: 1 });
  expect(plan.goal).toBe('Find kinases');
  expect(plan.tasks[0]).toMatchObject({ capability: 'search', arguments: ARGUMENTS });
});

test('a list without nodes answers from what is known', async () => {
  const { fallback, usage, plan } = await planned([{ nodes: [], explanation: 'Hello.' }]);
  expect({ fallback, calls: usage.calls }).toEqual({ fallback: false, calls: 1 });
  expect(plan.tasks).toMatchObject([{ capability: 'respond' }]);
});

test.each<[name: string, wrong: unknown, told: readonly string[]]>([
  ['a node that is none of the shapes', { nodes: [{ id: 'a', capability: 'search' }] }, ['$.nodes[0]: ', 'task']],
  [
    'several',
    {
      nodes: [
        { ...node, arguments: { text: 5 } },
        { ...node, id: 'b', capability: 'serach' },
      ],
    },
    ['$.nodes[0].arguments.text', '$.nodes[1].capability', 'Did you mean "search"?'],
  ],
  ['prose', 'First I would search.', ['The reply is prose and no plan']],
])('what is wrong is told with its place, and the next call is right: %s', async (_name, wrong, told) => {
  const { fallback, usage, asked } = await planned([wrong, { nodes: [node] }]);
  expect({ fallback, calls: usage.calls }).toEqual({ fallback: false, calls: 2 });
  const said = asked[1]?.messages.at(-1)?.content ?? '';
  for (const part of told) expect(said).toContain(part);
  expect(said).not.toMatch(/Invalid input$/m);
});

test('what does not fit the wire is a fault of the server: one call, the fallback, and nothing is told to the model', async () => {
  const { fallback, usage, asked, trouble } = await plannedBy([{ events: [chatDelta({ content: 7 })] }]);
  expect({ fallback, calls: usage.calls, asked: asked.length }).toEqual({ fallback: true, calls: 1, asked: 1 });
  expect(trouble?.message).toMatch(/sent what is no part of a reply: content is number 7.*Look at the server/);
});

test('the words of a refusal are told', async () => {
  const refusal = { events: [chatDelta({ refusal: 'I will not plan that.' }), ...chatEvents([])] };
  const { fallback, trouble, asked } = await plannedBy(Array.from({ length: 12 }, () => refusal));
  expect(fallback).toBe(true);
  expect(trouble?.message).toContain('I will not plan that.');
  expect(asked[1]?.messages.at(-1)?.content).toContain('I will not plan that.');
});

test('the server is held to the schema of what the project has, without strict', async () => {
  const { asked } = await planned([{ nodes: [node] }]);
  const { strict, schema } = asked[0]!.response_format.json_schema;
  expect(strict).not.toBe(true);
  expect(Object.keys(schema.properties)).toEqual(['nodes', 'explanation']);
  expect(schema.properties.nodes).toMatchObject({ minItems: 1 });
  expect(JSON.stringify(schema)).toContain('"capability":{"const":"search"},"arguments":{');
});

test('XML that was asked for may come as JSON', async () => {
  const { fallback, usage } = await planned([{ nodes: [node] }], 'xml');
  expect({ fallback, calls: usage.calls }).toEqual({ fallback: false, calls: 1 });
});
