/** The page as it is served: late requests, and long ones. */

import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Plans } from '../../src/operations/index.ts';
import { servePage } from '../../src/page/serve.ts';
import { cookiesOf, FORM, HERE, ORIGIN, pageAt } from './page-at.ts';

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
