/** Who is answered by the codec server, and with what. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isLoopback, startCodecServer } from '../../src/cli/working/codec-server.ts';
import { encryptionCodec } from '../../src/protocol/encryption/index.ts';

const key = () => randomBytes(32).toString('base64');
const encryption = { keys: { a: key(), b: key() }, current: 'b' };
const UI = 'http://localhost:8233';
const TOKEN = 'a token for tests';
type Codec = Awaited<ReturnType<typeof startCodecServer>>;
let open: Codec;
let guarded: Codec;
beforeAll(async () => {
  const options = { encryption, host: '127.0.0.1', port: 0, origins: [UI] };
  [open, guarded] = await Promise.all([startCodecServer(options), startCodecServer({ ...options, token: TOKEN })]);
});
afterAll(() => Promise.all([open.close(), guarded.close()]));

const jsonOf = ({ metadata, data }: { metadata?: object | null; data?: Uint8Array | null }) => ({
  metadata: Object.fromEntries(
    Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value as Uint8Array).toString('base64')]),
  ),
  data: Buffer.from(data ?? []).toString('base64'),
});
const text = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString();
const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value);
const JSON_TYPE = { 'Content-Type': 'application/json' };

async function ask(what: string, body: unknown, headers: Record<string, string> = {}, url = open.url) {
  const asked = await fetch(`${url}${what}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
  const told = (await asked.json()) as {
    message?: string;
    payloads?: { metadata: Record<string, string>; data: string }[];
  };
  return { ...told, status: asked.status, headers: asked.headers };
}

describe('payloads', () => {
  test('Temporal codec: /encode and /decode: with the current key, and with any', async () => {
    const plain = [payloadOf({ digest: '3fa9c1d2' }), payloadOf('x')];
    const encoded = await ask('/encode', { payloads: plain.map(jsonOf) });
    expect(encoded.status).toBe(200);
    expect(encoded.payloads?.map(({ metadata }) => text(metadata['encryption-key-id']))).toEqual(['b', 'b']);
    const decoded = await ask('/my-namespace/decode', { payloads: encoded.payloads });
    expect(decoded.payloads).toEqual(plain.map(jsonOf));
    const old = await encryptionCodec({ ...encryption, current: 'a' }).encode(plain);
    expect((await ask('/decode', { payloads: [...old.map(jsonOf), jsonOf(plain[0]!)] })).payloads).toEqual(
      [...plain, plain[0]!].map(jsonOf),
    );
  });

  test('that cannot be decrypted are shown with the reason, beside the others', async () => {
    const [sealed] = await encryptionCodec({ keys: { gone: key() }, current: 'gone' }).encode([payloadOf('x')]);
    const { payloads } = await ask('/decode', { payloads: [jsonOf(sealed!), jsonOf(payloadOf('y'))] });
    expect(payloads?.map(({ data }) => JSON.parse(text(data)) as unknown)).toMatchObject([
      { encrypted: true, reason: expect.stringContaining('key "gone", which is not here') as string },
      'y',
    ]);
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['text', 'payloads'],
    ['payloads that are none', { payloads: {} }],
    ['a payload that is none', { payloads: [7] }],
    ['data that is no text', { payloads: [{ data: 7 }] }],
  ])('of no such form are refused: %s', async (_, body) => {
    expect(await ask('/decode', body)).toMatchObject({
      status: 400,
      message: expect.stringContaining('payloads') as string,
    });
  });

  test('of no such size are refused, before they are read whole', async () => {
    const body = { payloads: [{ data: 'x'.repeat(33_554_432) }] };
    expect((await ask('/decode', body).catch(() => ({ status: 413 }))).status).toBe(413);
    expect((await ask('/decode', { payloads: [] })).payloads).toEqual([]);
  });
});

test('a hundred connections are held, and no other', async () => {
  const own = await startCodecServer({ encryption, host: '127.0.0.1', port: 0, origins: [UI] });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await own.close();
  });
  for (let n = 0; n < 101; n += 1) {
    const socket = connect(Number(new URL(own.url).port), '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
  }
  await once(sockets[100] as Socket, 'close');
  expect(sockets.filter(({ closed }) => closed)).toHaveLength(1);
});

describe('answered are', () => {
  test('pages of the Web UI, which a browser asks about first', async () => {
    const asked = await fetch(`${open.url}/decode`, { method: 'OPTIONS', headers: { Origin: UI } });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(UI);
    expect(asked.headers.get('access-control-allow-headers')).toContain('x-namespace');
    const { status, headers } = await ask('/decode', { payloads: [] }, { Origin: UI });
    expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([200, UI, 'Origin']);
  });

  test.each(['http://evil.example', 'null', 'http://localhost:8234', `${UI}.evil.example`])(
    'no pages of %s',
    async (origin) => {
      const { status, headers } = await ask('/decode', { payloads: [] }, { Origin: origin });
      expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null]);
      const asked = await fetch(`${open.url}/decode`, { method: 'OPTIONS', headers: { Origin: origin } });
      expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    },
  );

  test('nobody who comes by another name of the address, as a page does whose name leads there', async () => {
    const { port } = new URL(open.url);
    const status = await new Promise((resolve, reject) => {
      const sent = request({
        port,
        host: '127.0.0.1',
        path: '/decode',
        method: 'POST',
        headers: { ...JSON_TYPE, Host: 'evil.example' },
      });
      sent.on('response', (response) => resolve(response.statusCode)).on('error', reject);
      sent.end('{}');
    });
    expect(status).toBe(403);
  });

  test('no content that a browser sends without asking', async () => {
    const { status } = await ask('/decode', { payloads: [] }, { 'Content-Type': 'text/plain' });
    expect(status).toBe(415);
  });

  test.each([
    ['GET', '/decode', 405],
    ['POST', '/', 404],
    ['POST', '/decoded', 404],
    ['POST', '//', 404],
  ])('no %s of %s', async (method, path, status) => {
    expect((await fetch(`${open.url}${path}`, { method, headers: JSON_TYPE })).status).toBe(status);
  });

  test('with a token those who say it', async () => {
    const body = { payloads: [] };
    expect((await ask('/decode', body, {}, guarded.url)).status).toBe(401);
    expect((await ask('/decode', body, { Authorization: `Bearer ${TOKEN}s` }, guarded.url)).status).toBe(401);
    expect((await ask('/decode', body, { Authorization: `Bearer ${TOKEN}` }, guarded.url)).status).toBe(200);
    expect((await ask('/decode', body, { Authorization: TOKEN }, guarded.url)).status).toBe(200);
  });
});

test.each([
  ['127.0.0.1', true],
  ['localhost', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.0.2.1', false],
])('the address %s is for this machine alone: %s', (host, isOwn) => {
  expect(isLoopback(host)).toBe(isOwn);
});
