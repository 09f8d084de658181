/** The session of a token: it lives under a name that no other server of the machine is sent. */

import { describe, expect, test } from 'vitest';
import type { Entrance } from '../../src/page/access.ts';
import { cookiesOf, FORM, HERE, KILL, ORIGIN, pageAt, TOKEN } from './page-at.ts';

describe('a session below localhost', () => {
  const INSIDE = 'http://0123456789abcdef.localhost:7280';
  const HIDDEN: Entrance = { ...HERE, token: TOKEN, inside: INSIDE };
  const inside = { host: new URL(INSIDE).host };

  /** Types the token at an address; what the next page's address brings, and the cookies that were set. */
  async function comeIn(page: ReturnType<typeof pageAt>, origin: string) {
    const host = new URL(origin).host;
    const { headers, text } = await page.ask('/login', { headers: { host } });
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(text) ?? [];
    const { status, ...came } = await page.ask('/login', {
      method: 'POST',
      body: new URLSearchParams({ csrf, token: TOKEN }).toString(),
      headers: { host, cookie: cookiesOf(headers), origin, 'content-type': FORM },
    });
    const [, key = ''] = /\/login\?key=([\w-]+)/.exec(came.text) ?? [];
    return { status, key, cookies: cookiesOf(came.headers), text: came.text };
  }

  test.each(HERE.origins)('begins at %s, which gets no session, and goes on once', async (origin) => {
    const page = pageAt(HIDDEN);
    const { status, key, cookies, text } = await comeIn(page, origin);
    expect([status, cookies]).toEqual([200, '']);
    expect(text).toContain(`${INSIDE}/login?key=${key}`);
    // Asked for at another name, it is neither taken nor used up.
    expect(cookiesOf((await page.ask(`/login?key=${key}`)).headers)).not.toContain('session');
    const { headers } = await page.ask(`/login?key=${key}`, { headers: inside });
    expect(cookiesOf(headers)).toMatch(/^planwright-7280-session=/);
    expect(cookiesOf((await page.ask(`/login?key=${key}`, { headers: inside })).headers)).not.toContain('session');
    await page.ask('/runs', { headers: { ...inside, cookie: cookiesOf(headers) } });
    expect(page.touched).toEqual(['all']);
  });

  test('counts under no other name, and takes forms from itself alone', async () => {
    const page = pageAt(HIDDEN);
    const { key } = await comeIn(page, ORIGIN);
    const cookie = cookiesOf((await page.ask(`/login?key=${key}`, { headers: inside })).headers);
    for (const origin of HERE.origins) {
      const { host } = new URL(origin);
      const { status, headers } = await page.ask('/runs', { headers: { host, cookie } });
      expect([host, status, headers.get('location')]).toEqual([host, 302, '/login']);
      const said = { method: 'POST', body: KILL };
      const type = { 'content-type': FORM, cookie };
      expect((await page.ask('/say', { ...said, headers: { ...type, host, origin } })).status).toBe(401);
      expect((await page.ask('/say', { ...said, headers: { ...type, ...inside, origin } })).status).toBe(403);
      expect((await page.ask('/say', { ...said, headers: { ...type, host, origin: INSIDE } })).status).toBe(403);
    }
    expect((await page.ask('/runs', { headers: { host: 'other.localhost:7280', cookie } })).status).toBe(421);
    expect(page.touched).toEqual([]);
  });

  test('has a name that nobody is told who has not typed the token', async () => {
    const page = pageAt(HIDDEN);
    for (const path of ['/', '/login', '/login?key=x', '/nothing', '/runs', '/page.js']) {
      const answer = await page.ask(path, { headers: path === '/runs' ? { host: 'elsewhere.example' } : {} });
      expect(answer.text + JSON.stringify([...answer.headers])).not.toContain('0123456789abcdef');
    }
  });

  test('of a page that has stopped is none', async () => {
    const { key } = await comeIn(pageAt(HIDDEN), ORIGIN);
    expect((await pageAt(HIDDEN).ask(`/login?key=${key}`, { headers: inside })).headers.getSetCookie()).toEqual([
      expect.stringMatching(/^planwright-7280-browser=/) as string,
    ]);
  });
});
