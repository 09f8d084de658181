/** Serves the page: on this machine only, unless people must authenticate. */

import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { OperationError, type Plans } from '../operations/index.ts';
import { createApp } from './app.ts';
import type { Entrance } from './access.ts';
import { startHttp } from './http-server.ts';

export interface ServeOptions {
  /** Default 7280; 0 takes any free one. */
  readonly port?: number | undefined;
  /** To listen on. Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** The address for browsers, if it is not the one it listens on. */
  readonly origin?: string | undefined;
  readonly token?: string | undefined;
  readonly proxy?: Entrance['proxy'];
}

export interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

const DEFAULT_PORT = 7280;
/**
 * @bound .connections connections
 * @beyond closed
 */
const BOUNDS = { requestMs: 30_000, idleMs: 60_000, connections: 2000 };
/**
 * A shorter token could be guessed.
 * @bound a token, at least
 * @beyond refused
 */
const TOKEN_CHARACTERS = 32;
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;
/** Addresses that browsers use for every name below localhost. */
const LOCALHOST = /^(?:127\.0\.0\.1|::1|localhost)$/;

/**
 * Serves the page until it is closed.
 * @throws OperationError USAGE for an address of other machines without a token or a proxy, PORT_IN_USE; and as
 * `plans.session`
 */
export async function servePage(plans: Plans, options: ServeOptions): Promise<ServedPage> {
  const { port = DEFAULT_PORT, host = '127.0.0.1' } = options;
  check(options);
  // A page without a server could show nothing.
  await plans.session();
  const server = await startHttp({ ...BOUNDS, host, port, flag: '--port' });
  const entrance = entranceOf(host, server.port, options);
  const { app, close } = createApp({ plans, entrance });
  server.answer(app.fetch);
  return {
    url: entrance.origins[0]!,
    async close() {
      close();
      await server.close();
    },
  };
}

function check({ host = '127.0.0.1', origin, token, proxy }: ServeOptions): void {
  if (token !== undefined && token.length < TOKEN_CHARACTERS) {
    throw new OperationError(
      'INPUT_INVALID',
      `the token has ${token.length} characters; expected at least ${TOKEN_CHARACTERS}, such as those of \`openssl rand -hex 32\``,
    );
  }
  if (token !== undefined && origin === undefined && LOOPBACK.test(host) && !LOCALHOST.test(host)) {
    throw new OperationError(
      'USAGE',
      `--host ${host} with --token: browsers look for the page's own name below localhost at 127.0.0.1 and ::1; leave ` +
        '--host out, or name an address with --origin',
    );
  }
  if (
    origin !== undefined &&
    !(URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol) && new URL(origin).origin === origin)
  ) {
    throw new OperationError(
      'USAGE',
      `--origin: expected an address such as https://plans.example.org, without a path, got ${origin}`,
    );
  }
  if (LOOPBACK.test(host) || token !== undefined || proxy !== undefined) return;
  throw new OperationError(
    'USAGE',
    `--host ${host} lets others than this machine come in, and nobody would be asked who they are: add --token FILE, or ` +
      '--proxy-header NAME with --proxy-address IP for a proxy that knows people; or leave --host out',
  );
}

/**
 * A page of this machine has three names. With a token the session is a cookie, which these names would share with
 * every other server of the machine. So only a name that no other server uses gets it.
 */
function entranceOf(host: string, port: number, { origin, token, proxy }: ServeOptions): Entrance {
  const originOf = (name: string) => new URL(`http://${isIPv6(name) ? `[${name}]` : name}:${port}`).origin;
  const isLocal = LOOPBACK.test(host);
  const named = isLocal
    ? [...new Set([originOf(host), ...['127.0.0.1', 'localhost', '::1'].map(originOf)])]
    : [originOf(host)];
  if (origin === undefined) {
    const inside =
      token !== undefined && isLocal ? originOf(`${randomBytes(16).toString('hex')}.localhost`) : undefined;
    return { origins: named, token, inside, proxy };
  }
  return { origins: token === undefined ? [...new Set([origin, ...named])] : [origin], token, proxy };
}
