/**
 * `planwright codec`: decodes what a browser or the Temporal CLI shows, and encodes what they send (Temporal's codec server
 * protocol). The keys stay in this process.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { lenientCodec, openKeyring, whyEncrypted, type EncryptionKeys } from '../../protocol/encryption/index.ts';
import { eachOf, isRecord, problemOf } from '../../protocol/index.ts';
import { jsonIn } from '../../plan/text/index.ts';

export interface CodecOptions {
  readonly encryption: EncryptionKeys;
  readonly host: string;
  readonly port: number;
  /** The origins of Web UIs, such as `http://localhost:8233`: pages of other sites are refused. */
  readonly origins: readonly string[];
  /** Everybody has to say it. Default: whoever reaches the address is answered. */
  readonly token?: string | undefined;
}

/** A page of a history with all its payloads; more is refused. */
const MAX_BODY_BYTES = 33_554_432;
const REQUEST_MS = 30_000;
/** How much later than said a request is closed, at most. */
const LATE_MS = 1000;
const MAX_CONNECTIONS = 100;
/** The paths may stand below a namespace: `--codec-endpoint 'http://127.0.0.1:8081/{namespace}'`. */
const PATH = /\/(encode|decode)$/;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Whether only programs of this machine reach it. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host) || host === '::1';
}

/** @throws the error of the address, such as EADDRINUSE; EncryptionError */
export async function startCodecServer(
  options: CodecOptions,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const codec = lenientCodec(openKeyring(options.encryption));
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, connectionsCheckingInterval: LATE_MS },
    (request, response) => {
      answer(request, response, options, codec).catch((error: unknown) => {
        const { status, message } = error instanceof Refused ? error : new Refused(500, 'the codec server has failed');
        send(response, status, { message });
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}`, close: () => closed(server) };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: CodecOptions,
  codec: ReturnType<typeof lenientCodec>,
): Promise<void> {
  checkSender(request, response, options);
  const [, what] = PATH.exec(request.url?.split('?')[0] ?? '') ?? [];
  if (what === undefined) throw new Refused(404, 'there is /encode and /decode');
  if (request.method === 'OPTIONS') return send(response, 204);
  if (request.method !== 'POST') throw new Refused(405, `expected POST, got ${request.method}`);
  checkToken(request, options.token);
  const payloads = payloadsIn(await bodyOf(request));
  const given = what === 'encode' ? await codec.encode(payloads) : (await codec.decode(payloads)).map(readable);
  send(response, 200, { payloads: given.map(toJson) });
}

/**
 * A page of another site may make a browser call this address, under a name of its own that leads here as well: it is known by its
 * origin and that name.
 */
function checkSender(request: IncomingMessage, response: ServerResponse, { host, origins }: CodecOptions): void {
  const { origin, host: named = '' } = request.headers;
  if (isLoopback(host) && !LOOPBACK.includes(named.replace(/:\d+$/, '')))
    throw new Refused(403, 'this address answers programs of its own machine, by its own name');
  if (origin === undefined) return;
  if (!origins.includes(origin))
    throw new Refused(403, `pages of ${origin} are not answered; start it with --ui ${origin} if that is your Web UI`);
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Vary', 'Origin');
  response.setHeader('Access-Control-Allow-Methods', 'POST');
  response.setHeader('Access-Control-Allow-Headers', 'authorization, content-type, x-namespace');
  response.setHeader('Access-Control-Allow-Credentials', 'true');
  response.setHeader('Access-Control-Allow-Private-Network', 'true');
}

function checkToken({ headers: { authorization = '' } }: IncomingMessage, token: string | undefined): void {
  if (token === undefined) return;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (timingSafeEqual(digest(authorization.replace(/^Bearer /i, '')), digest(token))) return;
  throw new Refused(401, 'expected the header Authorization: Bearer TOKEN (temporal: --codec-auth)');
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  // A page of any site may send other types without asking first.
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new Refused(415, 'expected content of the type application/json');
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) throw new Refused(413, `expected at most ${MAX_BODY_BYTES} bytes`);
    pieces.push(piece);
  }
  return jsonIn(Buffer.concat(pieces));
}

const BASE64 = (value: unknown, path: string) => (typeof value === 'string' ? undefined : `${path}: expected base64`);
const PAYLOADS = { 'payloads?': [{ 'metadata?': eachOf(BASE64), 'data?': BASE64 }] } as const;

interface PayloadJson {
  readonly metadata?: { readonly [name: string]: string };
  readonly data?: string;
}

function payloadsIn(body: unknown): Payload[] {
  const problem = isRecord(body) ? problemOf(PAYLOADS, body) : 'expected an object';
  if (problem !== undefined)
    throw new Refused(400, `expected {"payloads":[{"metadata":{...},"data":"base64"}]}; ${problem}`);
  const { payloads = [] } = body as { readonly payloads?: readonly PayloadJson[] };
  return payloads.map(({ metadata = {}, data = '' }) => ({
    metadata: Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, 'base64')])),
    data: Buffer.from(data, 'base64'),
  }));
}

/** One that cannot be decrypted is shown with the reason. */
function readable(payload: Payload): Payload {
  const reason = whyEncrypted(payload);
  return reason === undefined ? payload : defaultPayloadConverter.toPayload({ encrypted: true, reason });
}

function toJson({ metadata, data }: Payload): PayloadJson {
  const entries = Object.entries(metadata ?? {}).map(([name, value]) => [name, base64(value)] as const);
  return { metadata: Object.fromEntries(entries), data: base64(data) };
}

function base64(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('base64');
}

function send(response: ServerResponse, status: number, body?: object): void {
  if (response.headersSent) return;
  // What was not read of a body that is refused is not read.
  response.writeHead(status, { 'Content-Type': 'application/json', ...(status >= 400 && { Connection: 'close' }) });
  response.end(body && JSON.stringify(body));
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
