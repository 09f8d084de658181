/** Requests one page at an address that was resolved and checked once, within limits, without redirects. */

import { lookup } from 'node:dns/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf, quote } from '../../../plan/text/index.ts';
import { aborted } from '../../../protocol/index.ts';
import { CapabilityError } from '../../index.ts';
import { isPublicAddress } from './public-address.ts';

/** Resolves a name to addresses. */
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

/** The answer with its unread body; the caller reads or destroys it. */
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
      // A second lookup could return an unchecked address.
      lookup: fixed(addresses),
      // An earlier connection would have an unchecked address.
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

/** The cause of a failed request: an abort has its own reason, everything else may succeed later. */
export function unreachable(url: URL, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  return new CapabilityError('RETRIABLE', `fetchPage: ${quote(url.host)} cannot be read: ${messageOf(error)}`, {
    cause: error,
  });
}
