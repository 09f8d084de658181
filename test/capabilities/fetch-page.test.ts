/** `fetchPage`: which pages are read, which are refused before anything is asked, and what of a page is taken. */

import type { IncomingMessage, RequestListener } from 'node:http';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { fetchPage, type FetchPageOptions } from '../../src/capabilities/builtin/index.ts';
import { openHttpServer } from '../support/http-server.ts';
import { carryOut } from './carry-out.ts';

/** What the server does with a request, by its path. */
const pages = new Map<string, RequestListener>();
const asked: { readonly host: string | undefined; readonly path: string | undefined }[] = [];

const { port, close } = await openHttpServer((request, response) => {
  asked.push({ host: request.headers.host, path: request.url });
  const page = pages.get(request.url ?? '');
  if (page === undefined) response.writeHead(404).end();
  else page(request, response);
});
afterAll(close);
beforeEach(() => {
  asked.length = 0;
  pages.clear();
});

const html =
  (text: string, type = 'text/html'): RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': type }).end(text);
const redirect =
  (location: string, status = 302): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, location === '' ? {} : { location }).end();

const at = (path: string, host = 'site.test') => `http://${host}:${port}${path}`;
/** Names of one server on this machine, which the project lists with its port. */
const inside = (over: Partial<FetchPageOptions> = {}) =>
  fetchPage({
    hosts: [`site.test:${port}`, `other.test:${port}`],
    allowPrivate: true,
    resolve: () => Promise.resolve(['127.0.0.1']),
    ...over,
  });
const read = (url: string, page = inside(), signal?: AbortSignal) =>
  carryOut(page, { url }, signal === undefined ? {} : { signal });

describe('fetchPage', () => {
  test('answers what a page says, and when it was read', async () => {
    pages.set('/a?b=c', html('<title>Reef &amp; sea</title><p>A <b>coral</b> reef.<script>no</script><p>Fish.'));
    const before = Date.now();
    const answer = (await read(at('/a?b=c#part'))) as { fetchedAt: string };
    expect(answer).toEqual({
      ...{ url: at('/a?b=c'), status: 200, title: 'Reef & sea', text: 'A coral reef.\nFish.', bytes: 79 },
      fetchedAt: expect.any(String) as string,
    });
    expect(new Date(answer.fetchedAt).toISOString()).toBe(answer.fetchedAt);
    expect(Date.parse(answer.fetchedAt)).toBeGreaterThanOrEqual(before);
    expect(asked).toEqual([{ host: `site.test:${port}`, path: '/a?b=c' }]);
  });

  test.each<[type: string, body: Buffer, text: string]>([
    ['text/plain', Buffer.from('<p>as it is\n'), '<p>as it is\n'],
    ['application/json; charset=utf-8', Buffer.from('{"a": "ü"}'), '{"a": "ü"}'],
    ['Text/HTML; charset="ISO-8859-1"', Buffer.from('<p>fu\xdf', 'latin1'), 'fuß'],
    ['text/html', Buffer.from('<meta charset=iso-8859-1><p>fu\xdf', 'latin1'), 'fuß'],
    ['text/html', Buffer.from('<p>fuß'), 'fuß'],
  ])('reads %s as it is written', async (type, body, text) => {
    pages.set('/', (_request, response) => void response.writeHead(200, { 'content-type': type }).end(body));
    expect(await read(at('/'))).toMatchObject({ text, bytes: body.length });
  });

  test('asks for nothing but the page, and sends no more than what it reads', async () => {
    let headers: IncomingMessage['headers'] = {};
    pages.set('/', (request, response) => {
      headers = request.headers;
      response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': 'a=b' }).end('x');
    });
    await read(at('/'));
    await read(at('/'));
    expect(headers).toEqual({
      ...{ accept: 'text/*, application/json, application/xhtml+xml', 'accept-encoding': 'identity' },
      ...{ 'user-agent': 'planwright', host: `site.test:${port}`, connection: 'close' },
    });
  });

  test('without hosts says what to configure', () => {
    for (const hosts of [undefined, []] as unknown as string[][]) {
      expect(() => fetchPage({ hosts })).toThrow('fetchPage: hosts is missing; list the hosts whose pages may be read');
    }
  });

  test.each([
    'https://a.org',
    'a.org/x',
    '*',
    '*.',
    '*.org',
    '*a.org',
    'a b',
    'u@a.org',
    'a.org:x',
    'a.org:123456',
    '',
    7,
  ])('refuses the host %j', (host) =>
    expect(() => fetchPage({ hosts: [host as string] })).toThrow(/^fetchPage: .* (is no host|allows a whole)/),
  );

  test.each<[keyof FetchPageOptions, number]>([
    ['maxBytes', 0],
    ['maxBytes', 16_777_217],
    ['redirects', -1],
    ['redirects', 21],
    ['timeoutMs', 120_001],
    ['timeoutMs', 1.5],
  ])('refuses %s %d', (name, value) => {
    expect(() => inside({ [name]: value })).toThrow(`fetchPage: ${name} is a whole number from`);
  });
});

describe('addresses inside', () => {
  const INSIDE = [
    ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'],
    ...['224.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1', '203.0.113.9'],
    ...[
      '168.63.129.16',
      '161.26.0.10',
      '166.8.0.1',
      '166.11.255.255',
      '192.0.0.192',
      '100.100.100.200',
      'fd00:ec2::254',
    ],
    ...[
      '::ffff:168.63.129.16',
      '64:ff9b::a83f:8110',
      '2002:a83f:8110::',
      '::1',
      '::',
      'fe80::1',
      'fe80::1%eth0',
      'fd00::1',
      'ff02::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
    ],
    ...['::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::1', '2001:db8::1', 'nonsense'],
  ];
  test.each(INSIDE)('%s is refused, and nothing is asked', async (address) => {
    const page = fetchPage({ hosts: ['example.org'], resolve: () => Promise.resolve([address]) });
    await expect(read('http://example.org/', page)).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringContaining(`"example.org" leads to ${address}, which is no public address`) as string,
    });
    expect(asked).toEqual([]);
  });

  test('are refused where one of several is one', async () => {
    const page = fetchPage({ hosts: ['example.org'], resolve: () => Promise.resolve(['8.8.8.8', '10.0.0.1']) });
    await expect(read('http://example.org/', page)).rejects.toThrow('leads to 10.0.0.1');
  });

  test.each([
    ['written as numbers', 'http://2130706433/', '127.0.0.1'],
    ['written in hexadecimal', 'http://0x7f.1/', '127.0.0.1'],
    ['of IPv6', 'http://[::1]/', '[::1]'],
    ['mapped', 'http://[::ffff:127.0.0.1]/', '[::ffff:7f00:1]'],
  ])('are refused %s, also where they are listed', async (_, url, host) => {
    const page = fetchPage({ hosts: [host], allowPrivate: true });
    await expect(read(url, page)).rejects.toThrow('which is no public address');
  });

  test('are allowed for a host that is listed with its port, where the project says so', async () => {
    pages.set('/', html('<p>inside'));
    expect(await read(at('/'))).toMatchObject({ text: 'inside' });
    await expect(read(at('/'), inside({ allowPrivate: false }))).rejects.toThrow('which is no public address');
    await expect(read(at('/', 'a.site.test'), inside({ hosts: [`*.site.test:${port}`] }))).rejects.toThrow(
      'which is no public address',
    );
    expect(asked).toHaveLength(1);
  });

  test('are not reached by a name that is looked up a second time', async () => {
    pages.set('/', html('<p>first'));
    const names: string[] = [];
    const resolve = (name: string) => {
      names.push(name);
      // Whoever asked again would be sent elsewhere.
      return Promise.resolve([names.length === 1 ? '127.0.0.1' : '127.0.0.2']);
    };
    expect(await read(at('/'), inside({ resolve }))).toMatchObject({ text: 'first' });
    expect(names).toEqual(['site.test']);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('%d is followed to an allowed host, which is looked up anew', async (status) => {
    pages.set('/', redirect(at('/b', 'other.test'), status));
    pages.set('/b', redirect('c', status));
    pages.set('/c', html('<p>there'));
    const names: string[] = [];
    const resolve = (name: string) => {
      names.push(name);
      return Promise.resolve(['127.0.0.1']);
    };
    expect(await read(at('/'), inside({ resolve }))).toMatchObject({ url: at('/c', 'other.test'), text: 'there' });
    expect(names).toEqual(['site.test', 'other.test', 'other.test']);
  });

  test.each<[location: string, says: string]>([
    ['http://evil.test/', 'the host "evil.test" is not allowed'],
    ['http://127.0.0.1/', 'the host "127.0.0.1" is not allowed'],
    ['//evil.test/', 'is not allowed'],
    ['file:///etc/passwd', 'expected http: or https:'],
    ['http://u@site.test/', 'a user or a password'],
    ['http://[', 'which is no address'],
    ['', 'which is no address'],
  ])('to %j is refused', async (location, says) => {
    pages.set('/', redirect(location));
    await expect(read(at('/'))).rejects.toMatchObject({
      errorClass: 'REPLANNING',
      message: expect.stringContaining(says) as string,
    });
  });

  test('to an address inside is refused', async () => {
    pages.set('/', redirect('http://example.org/'));
    const resolve = () => Promise.resolve(['127.0.0.1']);
    await expect(read(at('/'), inside({ hosts: [`site.test:${port}`, 'example.org'], resolve }))).rejects.toThrow(
      '"example.org" leads to 127.0.0.1',
    );
  });

  test('is one of so many', async () => {
    pages.set('/', redirect('/'));
    await expect(read(at('/'), inside({ redirects: 3 }))).rejects.toThrow('more than 3 redirects');
    expect(asked).toHaveLength(4);
    await expect(read(at('/'), inside({ redirects: 0 }))).rejects.toThrow('more than 0 redirects');
    expect(asked).toHaveLength(5);
  });
});

test.each<[name: string, page: RequestListener, says: string]>([
  ['is of another type', html('x', 'image/png'), 'the page is of the type "image/png"; allowed are'],
  ['has no type', (_, response) => void response.writeHead(200).end('x'), 'the page is of the type ""'],
  ['is written in an unknown way', html('x', 'text/html; charset=klingon'), 'written in "klingon"'],
  [
    'is compressed',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end('x'),
    'compressed ("gzip")',
  ],
  [
    'says that it is too long',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html', 'content-length': '101' }).flushHeaders(),
    'more than 100 bytes',
  ],
  [
    'is one byte too long',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).write('x'.repeat(60));
      response.end('x'.repeat(41));
    },
    'more than 100 bytes',
  ],
  [
    'does not end',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      const more = () => response.write('x'.repeat(60), () => setImmediate(more));
      response.on('error', () => {});
      more();
    },
    'more than 100 bytes',
  ],
  ['is not there', (_, response) => void response.writeHead(404).end(), 'answered 404'],
  ['is not changed', (_, response) => void response.writeHead(304).end(), 'answered 304'],
])('a page that does not fit since it %s asks for another plan', async (_, page, says) => {
  pages.set('/', page);
  await expect(read(at('/'), inside({ maxBytes: 100 }))).rejects.toMatchObject({
    errorClass: 'REPLANNING',
    message: expect.stringContaining(says) as string,
  });
});

test.each<[name: string, over: Partial<FetchPageOptions>, page: RequestListener]>([
  ['has no word for it', {}, () => {}],
  ['does not end', {}, (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>')],
  ['is not found', { resolve: () => new Promise<never>(() => {}) }, () => {}],
])('a server that may do better later since it %s is given up, and asked again', async (_, over, page) => {
  pages.set('/', page);
  await expect(read(at('/'), inside({ timeoutMs: 50, ...over }))).rejects.toMatchObject({
    errorClass: 'RETRIABLE',
    message: expect.stringContaining('took more than 50 ms') as string,
  });
});

test.each(['before', 'while a name is looked up', 'while the server thinks', 'while the page is read'])(
  'a run that ends ends the reading: %s',
  async (when) => {
    const controller = new AbortController();
    const gone = new Error('cancelled');
    const end = () => controller.abort(gone);
    pages.set('/', (_, response) => {
      if (when === 'while the page is read') response.writeHead(200, { 'content-type': 'text/html' }).write('<p>', end);
      else end();
    });
    const resolve = () => {
      if (when !== 'while a name is looked up') return Promise.resolve(['127.0.0.1']);
      end();
      return new Promise<never>(() => {});
    };
    if (when === 'before') end();
    await expect(read(at('/'), inside({ resolve }), controller.signal)).rejects.toBe(gone);
  },
);
