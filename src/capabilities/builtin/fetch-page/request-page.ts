/** Requests one page without following redirects. Resolves and checks the host's address only once. */

import * as http from 'node:http';
import * as https from 'node:https';
import ipaddr from 'ipaddr.js';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf, quote, listNames } from '../../../plan/text/index.ts';
import { aborted } from '../../../protocol/index.ts';
import { CapabilityError } from '../../index.ts';
import type { IncomingMessage } from 'node:http';

interface BodyBounds {
  readonly maxBytes: number;
  readonly types: readonly string[];
}

interface PageText {
  readonly text: string;
  readonly type: string;
  readonly bytes: number;
}

/** Maximum position of an encoding declaration in a page, in characters. Used if the server declares none. */
const HEAD = 1024;

/** Reads a page. @throws CapabilityError `REPLANNING` if the page cannot be used, and errors of the connection */
export async function readBody(answer: IncomingMessage, { maxBytes, types }: BodyBounds): Promise<PageText> {
  const [type = '', ...parameters] = (answer.headers['content-type'] ?? '').split(';').map((one) => one.trim());
  const kind = type.toLowerCase();
  if (!types.some((one) => one === kind || (one.endsWith('/*') && kind.startsWith(one.slice(0, -1))))) {
    throw misfit(`the page is of the type ${quote(type)}; allowed are ${listNames(types)}`);
  }
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw misfit(`the page is compressed (${quote(encoding)}), which was not asked for`);
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLong(maxBytes);
  const bytes = await readBytes(answer, maxBytes);
  const charset = parameters.map((one) => /^charset="?([^"]*)"?$/i.exec(one)?.[1]).find((one) => one !== undefined);
  return { text: decoded(bytes, charset, kind), type: kind, bytes: bytes.length };
}

async function readBytes(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw tooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decoded(bytes: Buffer, charset: string | undefined, kind: string): string {
  const head = kind.includes('html') ? bytes.subarray(0, HEAD).toString('latin1') : '';
  const label = charset ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(head)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    throw misfit(`the page is written in ${quote(label)}, which is not known`);
  }
}

function tooLong(maxBytes: number): CapabilityError {
  return misfit(
    `the page has more than ${maxBytes} bytes; raise maxBytes of fetchPage in the config, or read another one`,
  );
}

export function misfit(message: string): CapabilityError {
  return new CapabilityError('REPLANNING', `fetchPage: ${message}`);
}

export type ResolveHost = (name: string) => Promise<readonly string[]>;

export interface FetchRequest {
  readonly url: URL;
  readonly mayBeInside: boolean;
  readonly resolve: ResolveHost;
  readonly accept: string;
  readonly signal: AbortSignal;
}

export const resolveByDns: ResolveHost = async (name) =>
  (await lookup(name, { all: true })).map(({ address }) => address);

export async function requestPage({
  url,
  mayBeInside,
  resolve,
  accept,
  signal,
}: FetchRequest): Promise<http.IncomingMessage> {
  const addresses = await addressesOf(url, resolve, signal);
  const inside = addresses.find((address) => !isPublicAddress(address));
  if (inside !== undefined && !mayBeInside) {
    throw new CapabilityError(
      'REPLANNING',
      `fetchPage: ${quote(url.host)} leads to ${inside}, which is no public address; for a server of your own list it as host:port, with allowPrivate: true`,
    );
  }
  return new Promise((answered, reject) => {
    const request = (url.protocol === 'https:' ? https : http).get(url, {
      // Connects to the checked address, since a second lookup of the host could return an unchecked address.
      lookup: fixed(addresses),
      // Uses a new connection, since one from a pool could lead to an unchecked address.
      agent: false,
      headers: { accept, 'accept-encoding': 'identity', 'user-agent': 'planwright' },
      signal,
    });
    request.once('response', answered);
    request.on('error', (error) => reject(unreachable(url, error, signal)));
  });
}

async function addressesOf(url: URL, resolve: ResolveHost, signal: AbortSignal): Promise<readonly string[]> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return [name];
  try {
    signal.throwIfAborted();
    const addresses = await Promise.race([resolve(name), aborted(signal)]);
    if (addresses.length === 0) throw new Error('the name has no address');
    return addresses;
  } catch (error) {
    throw unreachable(url, error, signal);
  }
}

function fixed(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = all;
  return (_name, options, answer) => {
    if (options.all === true) answer(null, all);
    else answer(null, first?.address ?? '', first?.family);
  };
}

export function unreachable(url: URL, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return new CapabilityError('RETRIABLE', `fetchPage: ${quote(url.host)} cannot be read: ${messageOf(error)}`, {
    cause: error,
  });
}

/** Global unicast addresses of IPv6, without those for protocols, documentation, benchmarks or embedded IPv4. */
const GLOBAL_6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];

/** Unicast addresses of cloud-internal services: Azure's WireServer, and the service networks of IBM Cloud. */
const OF_CLOUDS = ['168.63.129.16/32', '161.26.0.0/16', '166.8.0.0/14'].map((range) => ipaddr.IPv4.parseCIDR(range));

export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_6) : !OF_CLOUDS.some((range) => address.match(range));
}
