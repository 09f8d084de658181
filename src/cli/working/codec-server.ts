/**
 * `planwright codec`: decodes payloads for a browser or the Temporal CLI, and encodes what they send (Temporal's codec
 * server protocol). The keys never leave this process.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { z } from 'zod';
import { startHttp } from '../../page/http-server.ts';
import { jsonIn } from '../../plan/text/index.ts';
import { lenientCodec, openKeyring, whyEncrypted, type EncryptionKeys } from '../../protocol/encryption/index.ts';

export interface CodecOptions {
  readonly encryption: EncryptionKeys;
  readonly host: string;
  readonly port: number;
  /** Origins of the Web UIs that get answers, such as `http://localhost:8233`. */
  readonly origins: readonly string[];
  /** The token that every request must have. Default: none, so that anyone who can connect gets an answer. */
  readonly token?: string | undefined;
}

/** Maximum bytes of a request. It may contain a page of a history with all its payloads. */
const MAX_BODY_BYTES = 33_554_432;
const BOUNDS = { requestMs: 30_000, connections: 100 };
/** The path of a request. A namespace may precede it: `--codec-endpoint 'http://127.0.0.1:8081/{namespace}'`. */
const PATH = '/:path{(?:.+/)?(?:encode|decode)}';
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

const base64 = z.string().transform((text) => Buffer.from(text, 'base64'));
const payload = z.object({ metadata: z.record(z.string(), base64).default({}), data: base64.default(Buffer.alloc(0)) });
const BODY = z.object({ payloads: z.array(payload).default([]) });

export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host) || host === '::1';
}

export async function startCodecServer(
  options: CodecOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const codec = lenientCodec(openKeyring(options.encryption));
  const app = new Hono();
  app.use((c, next) => {
    checkSender(c, options);
    return next();
  });
  const onError = () => refuse(413, `expected at most ${MAX_BODY_BYTES} bytes`);
  const allowHeaders = ['authorization', 'content-type', 'x-namespace'];
  app.use(cors({ origin: [...options.origins], allowMethods: ['POST'], allowHeaders, credentials: true }));
  app.post(PATH, bodyLimit({ maxSize: MAX_BODY_BYTES, onError }), async (c) => {
    checkToken(c, options.token);
    const payloads = payloadsIn(await bodyOf(c));
    const isEncoded = c.req.path.endsWith('/encode');
    const converted = isEncoded ? await codec.encode(payloads) : (await codec.decode(payloads)).map(readable);
    return c.json({ payloads: converted.map(toJson) });
  });
  app.all(PATH, ({ req }) => refuse(405, `expected POST, got ${req.method}`));
  app.notFound((c) => c.json({ message: 'there is /encode and /decode' }, 404));
  app.onError((error, c) => {
    const { status, message } =
      error instanceof HTTPException ? error : { status: 500 as const, message: 'the codec server has failed' };
    return c.json({ message }, status);
  });
  const { host } = options;
  const { port, answer, close } = await startHttp({
    ...BOUNDS,
    host,
    port: options.port,
    flag: '--port',
  });
  answer(app.fetch);
  return { url: `http://${isIPv6(host) ? `[${host}]` : host}:${port}`, close };
}

function refuse(status: 400 | 401 | 403 | 405 | 413 | 415, message: string): never {
  throw new HTTPException(status, { message });
}

/**
 * Rejects requests that pages of other sites cause, by origin and host name. A browser may send them, even to another
 * name that resolves to this machine.
 */
function checkSender(c: Context, { host, origins }: CodecOptions): void {
  const named = c.req.header('host') ?? '';
  if (isLoopback(host) && !LOOPBACK.includes(named.replace(/:\d+$/, '')))
    refuse(403, 'this address answers programs of its own machine, by its own name');
  const origin = c.req.header('origin');
  if (origin === undefined) return;
  if (!origins.includes(origin))
    refuse(403, `pages of ${origin} are not answered; start it with --ui ${origin} if that is your Web UI`);
  c.header('Access-Control-Allow-Private-Network', 'true');
}

function checkToken(c: Context, token: string | undefined): void {
  if (token === undefined) return;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const sent = (c.req.header('authorization') ?? '').replace(/^Bearer /i, '');
  if (timingSafeEqual(digest(sent), digest(token))) return;
  refuse(401, 'expected the header Authorization: Bearer TOKEN (temporal: --codec-auth)');
}

async function bodyOf({ req }: Context): Promise<unknown> {
  // With another content type, a request needs no preflight, so any site could send it.
  if (!/^application\/json\b/.test(req.header('content-type') ?? ''))
    refuse(415, 'expected content of the type application/json');
  return jsonIn(await req.text());
}

function payloadsIn(body: unknown): Payload[] {
  const read = BODY.safeParse(body);
  if (read.success) return read.data.payloads;
  const { path = [], message = '' } = read.error.issues[0] ?? {};
  return refuse(
    400,
    `expected {"payloads":[{"metadata":{...},"data":"base64"}]}; ${['body', ...path].join('.')}: ${message}`,
  );
}

function readable(one: Payload): Payload {
  const reason = whyEncrypted(one);
  return reason === undefined ? one : defaultPayloadConverter.toPayload({ encrypted: true, reason });
}

function toJson({ metadata, data }: Payload) {
  const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, text(value)] as const);
  return { metadata: Object.fromEntries(entries), data: text(data) };
}
