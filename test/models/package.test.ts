/** The package `openai` below the client, and what it cannot do by itself: nothing of it, or of its environment, is sent or told that nobody asked for. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { journaled, type ModelRequest } from '../../src/models/index.ts';
import { createFileStore, resultsIn } from '../../src/store/index.ts';
import { startClient } from '../support/model-client.ts';
import { chatDelta, chatEvents, responseEvents, startModelServer, type Answer } from '../support/model-server.ts';
import { testFolder } from '../support/folders.ts';

const ASK: ModelRequest = { messages: [{ role: 'user', content: 'How many?' }] };
const HOSTILE = {
  ...{ OPENAI_BASE_URL: 'http://127.0.0.1:9/evil', OPENAI_API_KEY: 'sk-of-somebody-else', OPENAI_LOG: 'debug' },
  ...{ OPENAI_ADMIN_KEY: 'sk-admin-of-somebody', OPENAI_ORG_ID: 'org-evil', OPENAI_PROJECT_ID: 'proj-evil' },
  ...{ OPENAI_WEBHOOK_SECRET: 'whsec-evil', OPENAI_API_VERSION: '1999-01-01' },
  ...{
    AZURE_OPENAI_API_KEY: 'azure-evil',
    OPENAI_CUSTOM_HEADERS: 'x-evil: yes\nauthorization: Bearer evil\nhost: evil',
  },
};
afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(['chat', 'responses'] as const)('with the api %s', (api) => {
  const good = (): Answer => ({ events: api === 'chat' ? chatEvents(['yes']) : responseEvents(['yes']) });

  test.each(['', 'tok-0123456789'])(
    'whatever the environment says, a server is sent what was asked for (key "%s")',
    async (apiKey) => {
      for (const [name, value] of Object.entries(HOSTILE)) vi.stubEnv(name, value);
      const logged = ['log', 'info', 'warn', 'error', 'debug'].map((name) => vi.spyOn(console, name as 'log'));
      const { ask, server } = await startClient(good, { api, ...(apiKey !== '' && { apiKey }) });
      expect((await ask(ASK)).text).toBe('yes');
      const [{ headers, path } = { headers: {}, path: '' }] = server.asked;
      const { host: _, 'content-length': __, ...sent } = headers as Record<string, string>;
      expect(sent).toEqual({
        ...{
          accept: 'text/event-stream, application/json',
          'accept-encoding': 'gzip, deflate',
          'accept-language': '*',
        },
        ...{
          connection: 'keep-alive',
          'content-type': 'application/json',
          'sec-fetch-mode': 'cors',
          'user-agent': 'node',
        },
        ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }),
      });
      expect(path).toBe(`/v1/${api === 'chat' ? 'chat/completions' : 'responses'}`);
      expect(logged.flatMap(({ mock }) => mock.calls)).toEqual([]);
      expect(process.env['OPENAI_CUSTOM_HEADERS']).toBe(HOSTILE.OPENAI_CUSTOM_HEADERS);
    },
  );

  test.each(['a b: c', 'x: \u0001é\u2713', ': none'])(
    'an OPENAI_CUSTOM_HEADERS that is none does no harm: %j',
    async (headers) => {
      vi.stubEnv('OPENAI_CUSTOM_HEADERS', headers);
      const { ask } = await startClient(good, { api });
      expect((await ask(ASK)).text).toBe('yes');
    },
  );
});

test("an event of the package's own kind is not written to the console", async () => {
  const logged = vi.spyOn(console, 'error');
  const { failing } = await startClient([{ events: ['event: thread.run\ndata: {no JSON\n\n'] }]);
  expect(await failing(ASK)).toMatchObject({ kind: 'malformed-reply' });
  expect(logged.mock.calls).toEqual([]);
});

describe('a reply that does not fit the wire', () => {
  const two = { choices: [{ message: { content: 'one' } }, { message: { content: 'two' } }] };
  test.each<[string, Answer, RegExp]>([
    ['two answers', { body: two }, /more than one answer/],
    [
      'two answers in pieces',
      { events: [{ choices: [{ index: 1, delta: { content: 'b' } }] }] },
      /more than one answer/,
    ],
    ['two answers behind each other', { body: '{"choices":[]}{"choices":[]}' }, /no JSON/],
    ['a part of another kind', { events: [chatDelta({ content: [{ type: 'image_url', image_url: {} }] })] }, /content/],
    ['half of an event', { events: ['data: {"choices"\n\n', ...chatEvents(['a'])] }, /no JSON/],
  ])('is a fault of its server, paid for, and not bought again: %s', async (_, answer, words) => {
    const { client, server } = await startClient(() => answer);
    const store = await emptyStore();
    for (let time = 0; time < 2; time++) {
      const failed = journaled(client, { key: 'run/1', store }, ASK);
      await expect(failed).rejects.toMatchObject({
        kind: 'malformed-reply',
        severity: 'CRITICAL',
        usage: { calls: 1 },
      });
      await expect(failed).rejects.toThrow(words);
    }
    expect(server.asked).toHaveLength(1);
  });
});

test('a redirect is told with where it leads, and cost nothing', async () => {
  const elsewhere = await startModelServer([]);
  const { failing } = await startClient([{ status: 308, headers: { location: elsewhere.baseURL } }]);
  const failed = await failing(ASK);
  expect(failed).toMatchObject({ kind: 'bad-request', usage: undefined });
  expect(failed.message).toContain(`answered 308, a redirect to ${elsewhere.baseURL}, which is not followed`);
});

async function emptyStore() {
  const folder = testFolder('package');
  return resultsIn(createFileStore(folder), 'calls');
}
