/**
 * The session of the token in a real browser, beside servers of other people of the same machine: none of them is sent it, under
 * whatever name the browser is brought to them.
 */

import type { IncomingMessage } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Plans } from '../../src/operations/index.ts';
import { servePage, type ServeOptions } from '../../src/page/serve.ts';
import { NO_CHROMIUM, openBrowser } from './browser.ts';
import { testHttpServer } from '../support/http-server.ts';

const TOKEN = 'a-token-of-thirty-two-characters';
const plans = {
  typed: (command: string) => command,
  project: async () => undefined,
  session: async () => ({}),
} as unknown as Plans;

async function serve(options: ServeOptions) {
  const served = await servePage(plans, { port: 0, ...options });
  onTestFinished(() => served.close());
  return served;
}

/** A server of somebody else, which keeps the headers of all that comes. */
async function eavesdropper() {
  const heard: IncomingMessage['headers'][] = [];
  const { port } = await testHttpServer(({ headers }, answer) => {
    heard.push(headers);
    answer.setHeader('Content-Type', 'text/html').end('<a id="here" href="/again">again</a>');
  });
  return { heard, port };
}

test.skipIf(NO_CHROMIUM !== '')(`no other server of the machine is sent the session ${NO_CHROMIUM}`, async () => {
  const { url } = await serve({ token: TOKEN });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const { heard, port } = await eavesdropper();
  // Without a script, as with one.
  const browser = await openBrowser(url, 800, false);
  onTestFinished(() => browser.close());
  const { page, context } = browser;
  await page.goto(`${url}/me`);
  await page.fill('input[name=token]', TOKEN);
  await page.click('button');
  await page.waitForURL(/^http:\/\/[0-9a-f]{32}\.localhost:\d+\/$/);
  const inside = new URL(page.url());
  await page.goto(`${inside.origin}/me`);
  expect(await page.textContent('h1')).toBe('Who are you?');
  const session = (await context.cookies()).filter(({ name }) => name.endsWith('-session'));
  expect(session.map(({ domain }) => domain)).toEqual([inside.hostname]);

  for (const name of ['127.0.0.1', 'localhost', 'other.localhost', `a.${inside.hostname}`]) {
    await page.goto(`http://${name}:${port}/`);
    // What a page asks of its own server is same-site, whoever brought the browser there.
    await page.click('#here');
    await page.waitForURL(/again$/);
  }
  expect(heard.length).toBeGreaterThanOrEqual(8);
  expect(heard.filter(({ cookie = '' }) => cookie.includes('session'))).toEqual([]);
  // The page's own address on the old names has no session either.
  await page.goto(`${url}/me`);
  expect(await page.textContent('h1')).toBe('The token of this page');
  await page.goto(`${inside.origin}/me`);
  expect(await page.textContent('h1')).toBe('Who are you?');
});

describe('with a token', () => {
  test('an address that names below localhost do not lead to is refused', async () => {
    await expect(serve({ token: TOKEN, host: '127.0.0.2' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  test('and an address for browsers, the page is there alone', async () => {
    const { url } = await serve({ token: TOKEN, origin: 'https://plans.example.org' });
    expect(url).toBe('https://plans.example.org');
  });
});
