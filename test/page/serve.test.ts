/** The page as it is served: late requests, long ones, and values of a plan that are sent with bad intent. */

import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Plans } from '../../src/operations/index.ts';
import { servePage } from '../../src/page/serve.ts';
import { cookiesOf, FORM, HERE, ORIGIN, pageAt } from './page-at.ts';
import { compiled, waitingOf } from './scenes.ts';
import { stageOf } from './stage.ts';
import { plainOf, visitorOf } from './visitor.ts';

test('late requests are looked for each second, since a server that looks seldom closes them much later than said', async () => {
  const create = vi.spyOn(http, 'createServer');
  syncBuiltinESMExports();
  onTestFinished(() => {
    create.mockRestore();
    syncBuiltinESMExports();
  });
  const served = await servePage({ session: async () => ({}) } as unknown as Plans, { port: 0 });
  await served.close();
  expect(create.mock.calls[0]?.[0]).toMatchObject({ requestTimeout: 30_000, connectionsCheckingInterval: 1000 });
});

test('of a document the bytes are counted as they are meant, and not as a form writes them', async () => {
  const { ask } = pageAt(HERE);
  const { headers: given, text } = await ask('/new');
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
  const headers = { origin: ORIGIN, cookie: cookiesOf(given), 'content-type': FORM };
  const post = (document: string) =>
    ask('/new', { method: 'POST', headers, body: new URLSearchParams({ csrf, document }).toString() });
  const quotes = '"'.repeat(4_194_304);
  expect((await post(quotes)).status).toBe(200);
  const refused = await post(`${quotes}"`);
  expect([refused.status, refused.text]).toEqual([413, expect.stringContaining('document is too long') as string]);
});

describe('values of a plan', () => {
  const order = (id: number, item: string, more = {}) => ({
    ...{
      step_id: id,
      description: 'Order',
      capability: 'order',
      arguments: { amount: id, item, list: ['a'], ...more },
    },
  });
  const steps = [order(1, 'gel'), order(2, 'a\r\nb'), { step_id: 3, description: 'Tell' }];
  const plan = compiled({ plan: { goal: 'Order', steps } });
  const SENT = { digest: plan.digest, node: ['node_1'], 'value.0.0': '1', 'value.0.1': 'gel', 'value.0.2': '["a"]' };
  const { 'value.0.1': _, ...INCOMPLETE } = SENT;
  const BOTH = { ...SENT, node: ['node_1', 'node_2'], 'value.1.0': '7', 'value.1.1': 'a\r\nb', 'value.1.2': '["a"]' };

  test.each<[what: string, sent: Record<string, string | string[]>, status: number, told: RegExp]>([
    ['a node that is not in the plan', { ...SENT, node: ['node_1', 'node_9'] }, 422, /expected nodes of the plan/],
    ['only that', { ...SENT, node: 'node_9', value: '{"node_1":{}}' }, 422, /expected nodes of the plan/],
    ['a node twice', { ...SENT, node: ['node_1', 'node_1'] }, 422, /each once/],
    ['a node without arguments', { ...SENT, node: 'node_3' }, 422, /with arguments/],
    ['no number', { ...SENT, 'value.0.0': '{"$gt":0}' }, 422, /amount: expected a number, got/],
    ['no list', { ...SENT, 'value.0.2': 'a, b' }, 422, /list: expected JSON, got/],
    ['a part of the fields', INCOMPLETE, 422, /item: expected a text, and it was left blank/],
    ['a plan that is not open', { ...SENT, digest: 'f'.repeat(64) }, 409, /another one by now/],
    [
      'markup',
      { ...SENT, 'value.0.1': '<b>x</b>' },
      200,
      /What changes .* item "gel" .* item "&lt;b&gt;x&lt;\/b&gt;" .*Put it/,
    ],
    ['a reference to no step', { ...SENT, 'value.0.1': 'result_from_step_9' }, 200, /No step before this one/],
    ['a reference', { ...BOTH, 'value.1.1': 'result_from_step_1' }, 200, /What changes .* given the result of node_1 /],
    ['1 MB', { ...SENT, 'value.0.1': 'x'.repeat(1_048_576) }, 200, /Put it in its place/],
    ['fields of a node that was not shown', { ...SENT, 'value.1.0': '7' }, 200, /It is the same plan/],
    ['a line break as a form writes it', BOTH, 200, /What changes .*amount 2 .*amount 7 (?!.*item)/],
  ])('%s', async (_what, sent, status, told) => {
    const stage = await stageOf(waitingOf(plan));
    onTestFinished(() => stage.close());
    const path = `/runs/${waitingOf(plan).workflowId}/edit`;
    const answer = await visitorOf(stage.origin).say(path, path, sent);
    expect([answer.status, plainOf(answer.text)]).toEqual([status, expect.stringMatching(told) as string]);
  });
});
