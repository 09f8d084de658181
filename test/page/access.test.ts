/** The door of the page: who may come in, from where, and what a form must bring. Nothing that is refused reaches a run. */

import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAccess, type Entrance, type Env } from '../../src/page/access.ts';
import { cookiesOf, FORM, HERE, KILL, ORIGIN, pageAt, PROXY, TOKEN, type Asked } from './page-at.ts';

/** A browser that has the page open: its cookies, and the value that its forms bring back. */
async function browserOf({ ask }: ReturnType<typeof pageAt>, more: Asked = {}) {
  const { headers, text } = await ask('/me', more);
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(text) ?? [];
  return { cookie: cookiesOf(headers), csrf };
}

describe('a form', () => {
  /** What is changed of a form that is taken. */
  type Change = (good: Required<Pick<Asked, 'headers' | 'body'>>) => Asked;
  const without = (headers: Readonly<Record<string, string>>, ...names: readonly string[]) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
  const header =
    (name: string, value: string | undefined): Change =>
    ({ headers, body }) => ({
      body,
      headers: value === undefined ? without(headers, name) : { ...headers, [name]: value },
    });

  test.each<[what: string, status: number, change: Change]>([
    ['from another page', 403, header('origin', 'http://elsewhere.example')],
    ['from another port of this machine', 403, header('origin', 'http://127.0.0.1:3000')],
    ['from the same name by another scheme', 403, header('origin', 'https://127.0.0.1:7280')],
    ['from a page that says no origin', 403, header('origin', 'null')],
    ['with an origin that is a beginning of ours', 403, header('origin', 'http://127.0.0.1:728')],
    ['with an origin that begins as ours', 403, header('origin', 'http://127.0.0.1:7280.elsewhere.example')],
    ['with two origins', 403, header('origin', `${ORIGIN}, http://elsewhere.example`)],
    [
      'without an origin and a site',
      403,
      ({ headers, body }) => ({ headers: without(headers, 'origin', 'sec-fetch-site'), body }),
    ],
    ['cross-site, whatever its origin says', 403, header('sec-fetch-site', 'cross-site')],
    ['same-site', 403, header('sec-fetch-site', 'same-site')],
    ['typed into an address bar', 403, header('sec-fetch-site', 'none')],
    ['without what it must bring', 403, ({ headers, body }) => ({ headers, body: body.replace(/&csrf=[^&]+/, '') })],
    [
      'with another value of it',
      403,
      ({ headers, body }) => ({ headers, body: body.replace(/csrf=[^&]+/, `csrf=${'a'.repeat(43)}`) }),
    ],
    ['with an empty value', 403, ({ headers, body }) => ({ headers, body: body.replace(/csrf=[^&]+/, 'csrf=') })],
    ['without its cookie', 403, header('cookie', undefined)],
    ['with the cookie of another browser', 403, header('cookie', `planwright-7280-browser=${'b'.repeat(22)}`)],
    ['with a cookie that is none', 403, header('cookie', 'planwright-7280-browser=<script>')],
    ['with a cookie of another port', 403, header('cookie', `planwright-3000-browser=${'b'.repeat(22)}`)],
    ['as JSON', 400, header('content-type', 'application/json')],
    ['as plain text, which needs no leave of a browser', 400, header('content-type', 'text/plain')],
    ['without a type', 400, header('content-type', undefined)],
    ['as a multipart of no parts', 400, header('content-type', 'multipart/form-data; boundary=x')],
    ['that is too long', 413, ({ headers, body }) => ({ headers, body: `${body}&more=${'x'.repeat(5_000_000)}` })],
    ['to another name of this machine', 421, header('host', 'elsewhere.example')],
    ['to our address by another port', 421, header('host', '127.0.0.1:80')],
    ['to a name that a stranger has pointed here', 421, header('host', '127.0.0.1.elsewhere.example:7280')],
    ['to no host', 421, header('host', '')],
    ['by a user in the host', 421, header('host', 'a@127.0.0.1:7280')],
  ])('%s is refused with %i', async (_what, refused, change) => {
    const page = pageAt(HERE);
    const { cookie, csrf } = await browserOf(page);
    const good = {
      body: `${KILL}&csrf=${encodeURIComponent(csrf)}`,
      headers: { 'content-type': FORM, cookie, origin: ORIGIN, 'sec-fetch-site': 'same-origin' },
    };
    const { status, text } = await page.ask('/say', { method: 'POST', ...change(good) });
    expect(status).toBe(refused);
    expect(text).toContain('role="alert"');
    expect(page.touched).toEqual([]);
    // The same, unchanged, goes on to the run.
    await page.ask('/say', { method: 'POST', ...good });
    expect(page.touched).toContain('plan-1');
  });

  test.each([
    ['no run', 'does=kill&comment=no', /expected 1 to 500 runs, got 0/],
    [
      'too many runs',
      `does=kill&comment=no&${Array.from({ length: 501 }, (_, at) => `run=r${at}`).join('&')}`,
      /got 501/,
    ],
    ['nothing to do', 'run=plan-1', /expected what is to be done, got "nothing"/],
    ['an unknown word', 'run=plan-1&does=__proto__', /expected what is to be done, got "__proto__"/],
    ['a name that is none', 'run=plan-1&does=pause&by=%00', /type your name, one line/],
    ['a name without end', `run=plan-1&does=pause&by=${'a'.repeat(300)}`, /at most 200 characters/],
    ['a part of nothing', 'run=plan-1&does=approve-part&digest=3fa9c1d2', /choose at least one node/],
  ])('with %s is told so', async (_what, said, told) => {
    const page = pageAt(HERE);
    const { cookie, csrf } = await browserOf(page);
    const body = `by=operator&csrf=${encodeURIComponent(csrf)}&${said}`.replace(/^by=operator&(?=.*by=)/, '');
    const headers = { 'content-type': FORM, cookie, origin: ORIGIN };
    const { status, text } = await page.ask('/say', { method: 'POST', body, headers });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text.replaceAll('&quot;', '"')).toMatch(told);
    expect(page.touched).toEqual([]);
  });

  test('without a name goes on, whole, once there is one', async () => {
    const page = pageAt(HERE);
    const { cookie, csrf } = await browserOf(page);
    const body = `run=a%26b&does=kill&comment=%22%3E&csrf=${encodeURIComponent(csrf)}`;
    const headers = { 'content-type': FORM, cookie, origin: ORIGIN };
    const { status, text } = await page.ask('/say', { method: 'POST', body, headers });
    expect(status).toBe(200);
    expect(text).toContain('name="run" value="a&amp;b"');
    expect(text).toContain('name="comment" value="&quot;&gt;"');
    expect(page.touched).toEqual([]);
  });
});

test('a form without a document has at most 65,536 bytes', async () => {
  const page = pageAt(HERE);
  const { cookie, csrf } = await browserOf(page);
  const body = `csrf=${encodeURIComponent(csrf)}&name=operator&more=${'x'.repeat(70_000)}`;
  const headers = { 'content-type': FORM, cookie, origin: ORIGIN };
  expect((await page.ask('/me', { method: 'POST', body, headers })).status).toBe(413);
});

test('a reply is told once on the next page, and is cut beyond 600 characters', async () => {
  const door = createAccess(HERE);
  const app = new Hono<Env>()
    .get('/say', (visit) => {
      door.keepReply(visit, 'x'.repeat(601));
      return visit.text('');
    })
    .get('/', (visit) => visit.text(door.takeReply(visit) ?? 'nothing'));
  const [set = ''] = (await app.request('/say')).headers.getSetCookie();
  const [cookie = ''] = set.split(';');
  const next = await app.request('/', { headers: { cookie } });
  expect(await next.text()).toMatch(/^x{599}…$/);
  expect(next.headers.getSetCookie()[0]).toMatch(/Max-Age=0/);
  // Another server of this machine can set a cookie, and has no seal.
  expect(await (await app.request('/', { headers: { cookie: cookie.replace(/x+/, 'approved') } })).text()).toBe(
    'nothing',
  );
});

describe('every answer', () => {
  test.each([
    '/',
    '/me',
    '/page.js',
    '/page.css',
    '/icon.svg',
    '/runs/a',
    '/runs/%00',
    '/runs/a/result.exe',
    '/nothing',
    '/say',
  ])('of %s', async (path) => {
    const { headers } = await pageAt(HERE).ask(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    if (!/\.(?:js|css|svg)$/.test(path)) expect(headers.get('cache-control')).toBe('no-store');
    for (const cookie of headers.getSetCookie()) expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
  });

  test.each(['OPTIONS', 'PUT', 'DELETE', 'PATCH'])('to %s is not ours', async (method) => {
    expect((await pageAt(HERE).ask('/runs/a', { method, headers: { origin: ORIGIN } })).status).toBe(404);
    expect((await pageAt(HERE).ask('/runs/a', { method })).status).toBe(403);
  });
});

describe('a token', () => {
  const LOCKED: Entrance = { ...HERE, token: TOKEN };

  test.each([
    '/',
    '/runs',
    '/runs/a',
    '/runs/a/live',
    '/live',
    '/new',
    '/key',
    '/me',
    '/login/../runs',
    '/page.css/../runs',
    '//login',
    '/runs/a/result.bed',
  ])('is asked for before %s', async (path) => {
    const page = pageAt(LOCKED);
    const { status, headers } = await page.ask(path);
    expect([status, headers.get('location')]).toEqual([302, '/login']);
    expect(page.touched).toEqual([]);
  });

  test.each([
    ['none', ''],
    ['an old one', `${Math.floor(Date.now() / 1000) - 100_000}.${'a'.repeat(43)}`],
    ['one of its own making', `${Math.floor(Date.now() / 1000)}.${'a'.repeat(43)}`],
    ['one from the future', `99999999999.${'a'.repeat(43)}`],
    ['the token itself', TOKEN],
  ])('is not passed by a session that is %s', async (_what, session) => {
    const page = pageAt(LOCKED);
    const { status } = await page.ask('/runs', { headers: { cookie: `planwright-7280-session=${session}` } });
    expect(status).toBe(302);
    const headers = { origin: ORIGIN, 'content-type': FORM };
    expect((await page.ask('/say', { method: 'POST', body: KILL, headers })).status).toBe(401);
    expect(page.touched).toEqual([]);
  });

  test('lets in whoever types it', async () => {
    const page = pageAt(LOCKED);
    const { headers, text } = await page.ask('/login');
    const cookie = cookiesOf(headers);
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(text) ?? [];
    const typed = (token: string) =>
      page.ask('/login', {
        method: 'POST',
        body: new URLSearchParams({ csrf, token }).toString(),
        headers: { cookie, origin: ORIGIN, 'content-type': FORM },
      });
    expect((await typed('another-token-of-32-characters!!')).status).toBe(401);
    const right = await typed(` ${TOKEN}\n`);
    expect(right.status).toBe(303);
    const session = cookiesOf(right.headers);
    await page.ask('/runs', { headers: { cookie: session } });
    expect(page.touched).toEqual(['all']);
    // Half a day later it is asked for again.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 43_200 * 1000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await page.ask('/runs', { headers: { cookie: session } })).status).toBe(302);
  });
});

describe('a proxy', () => {
  test.each<[what: string, from: string, headers: Readonly<Record<string, string>>, refused: number]>([
    ['from elsewhere', '10.0.0.3', { 'x-user': 'operator' }, 403],
    ['from this machine', '127.0.0.1', { 'x-user': 'operator' }, 403],
    ['from the proxy, which names nobody', '10.0.0.2', {}, 401],
    ['from the proxy, with a blank name', '10.0.0.2', { 'x-user': ' ' }, 401],
    ['from the proxy, with a name of two lines', '10.0.0.2', { 'x-user': 'a\tb' }, 401],
    ['from the proxy, with two names', '10.0.0.2', { 'x-user': 'boss\nmallory' }, 401],
    ['from the proxy, for another host', '10.0.0.2', { 'x-user': 'operator', host: '10.0.0.1:7280' }, 421],
  ])('%s is refused', async (_what, from, headers, refused) => {
    const page = pageAt(PROXY);
    expect((await page.ask('/me', { from, headers })).status).toBe(refused);
  });

  test('names the person, whatever a cookie or a form says', async () => {
    const page = pageAt(PROXY);
    for (const from of ['10.0.0.2', '::ffff:10.0.0.2']) {
      const { text } = await page.ask('/me', {
        from,
        headers: { 'x-user': 'operator', cookie: 'planwright-web-name=director' },
      });
      expect(text).toContain('operator <span class="dim">(by the proxy)');
      expect(text).not.toContain('director');
    }
  });

  test('takes forms from its own origin alone, with cookies for https', async () => {
    const page = pageAt(PROXY);
    const by = { from: '10.0.0.2', headers: { 'x-user': 'operator' } };
    const { headers } = await page.ask('/me', by);
    expect(headers.getSetCookie()[0]).toMatch(/^planwright-web-browser=.*; Secure;/);
    const { cookie, csrf } = await browserOf(page, by);
    const post = (origin: string) =>
      page.ask('/say', {
        ...by,
        method: 'POST',
        body: `run=plan-1&does=pause&csrf=${encodeURIComponent(csrf)}`,
        headers: { ...by.headers, cookie, origin, 'content-type': FORM },
      });
    expect((await post('http://plans.example.org')).status).toBe(403);
    await post('https://plans.example.org');
    expect(page.touched).toContain('plan-1');
  });
});
