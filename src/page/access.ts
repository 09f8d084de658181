/** Decides who may use the page, and which forms are accepted, since other pages can send requests too. */

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { cutCharacters, quote } from '../plan/text/index.ts';
import { given } from '../protocol/index.ts';
import { isName } from '../protocol/identity/index.ts';

export interface Entrance {
  /** Addresses of the page in browsers. People are told the first. */
  readonly origins: readonly string[];
  /** The token with which anybody may enter. */
  readonly token?: string | undefined;
  /**
   * The only origin that sets the session cookie; `origins` accept only the token. Browsers send cookies to every port
   * of a host, so other servers on this machine must not know this host name.
   */
  readonly inside?: string | undefined;
  /** A proxy that authenticates people: the header with the person's name, and the proxy's addresses. */
  readonly proxy?: { readonly header: string; readonly addresses: readonly string[] } | undefined;
}

export type Env = { Bindings: HttpBindings; Variables: { person?: string } };
export type PageVisit = Context<Env>;

/** A rejected request with its HTTP status. */
export class AccessError extends Error {
  override readonly name = 'AccessError';
  readonly status: 400 | 401 | 403 | 413 | 421 | 503;
  constructor(status: AccessError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

/** Lifetime of a session in seconds. Then the browser must send the token again. */
const SESSION_SECONDS = 43_200;
/** Limits of the cookie that carries a run's reply to the next page: characters and seconds. */
const REPLY = { characters: 600, seconds: 60 };
const SEAL_CHARACTERS = 43;
/** Lifetime in seconds of the one-time key with which a browser enters the origin `inside`. */
const KEY_SECONDS = 60;
/** Paths that need no token, since they contain nothing about runs. */
const PUBLIC = /^\/(?:login|page\.(?:css|js)|idiomorph\.js|(?:icon|lines)\.svg)$/;
const READING = new Set(['GET', 'HEAD']);

/** Headers of every response: only the page's own files run or load, and no other page may frame it. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  // With no referrer at all, browsers would also omit the origin of forms.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
  'Cache-Control': 'no-store',
};

export function createAccess({ origins, token, inside, proxy }: Entrance) {
  const secret = randomBytes(32);
  const hostOf = (origin: string) => new URL(origin).host;
  const hosts = new Set(origins.map(hostOf));
  const innerHost = inside === undefined ? undefined : hostOf(inside);
  const keys = new Set<string>();
  const [address = ''] = origins;
  const isSecure = address.startsWith('https:');
  // The name contains the port: cookies ignore ports, and other servers on this machine may set cookies too.
  const cookieName = (name: string) => `planwright-${new URL(address).port || 'web'}-${name}`;

  function remember(visit: PageVisit, name: string, value: string, maxAge?: number): void {
    const how = { httpOnly: true, sameSite: 'Strict', path: '/', secure: isSecure } as const;
    setCookie(visit, cookieName(name), value, { ...how, ...given({ maxAge }) });
  }
  const remembered = (visit: PageVisit, name: string) => getCookie(visit, cookieName(name));
  const hostAsked = (visit: PageVisit) => visit.req.header('host')?.toLowerCase() ?? '';
  const isOutside = (visit: PageVisit) => innerHost !== undefined && hostAsked(visit) !== innerHost;

  const enter: MiddlewareHandler<Env> = async (visit, next) => {
    for (const [name, value] of Object.entries(HEADERS)) visit.header(name, value);
    const host = hostAsked(visit);
    if (!hosts.has(host) && host !== innerHost) {
      throw new AccessError(
        421,
        `this page is at ${address}, and was asked for as ${quote(host)}; --origin names another address, and a proxy hands on ` +
          'the header Host',
      );
    }
    if (proxy !== undefined) visit.set('person', personOf(visit, proxy));
    if (!READING.has(visit.req.method)) checkOrigin(visit);
    if (token !== undefined && !PUBLIC.test(visit.req.path) && !isIn(visit)) {
      if (visit.req.method === 'GET') return visit.redirect('/login');
      throw new AccessError(401, `this page asks for its token first: open ${address}/login`);
    }
    await next();
    return undefined;
  };

  function checkOrigin(visit: PageVisit): void {
    const origin = visit.req.header('origin');
    const site = visit.req.header('sec-fetch-site');
    const ours = inside === undefined || isOutside(visit) ? origins : [inside];
    const isOurs = origin === undefined ? site === 'same-origin' : ours.includes(origin);
    if (isOurs && (site === undefined || site === 'same-origin')) return;
    throw new AccessError(
      403,
      `a form is taken from this page alone, and came from ${quote(origin ?? site ?? 'no page')}; nothing was sent`,
    );
  }

  function formToken(visit: PageVisit): string {
    const browser = remembered(visit, 'browser');
    const id = browser !== undefined && /^[\w-]{22}$/.test(browser) ? browser : randomBytes(16).toString('base64url');
    if (id !== browser) remember(visit, 'browser', id);
    return sealed(id);
  }

  const sealed = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');

  function isIn(visit: PageVisit): boolean {
    const at = stored(visit, 'session') ?? '';
    const age = Date.now() / 1000 - Number(at);
    return /^\d{1,12}$/.test(at) && age >= -1 && age < SESSION_SECONDS && !isOutside(visit);
  }

  function rememberSession(visit: PageVisit): void {
    keep(visit, 'session', `${Math.floor(Date.now() / 1000)}`, SESSION_SECONDS);
  }

  /** Sets a cookie. It is sealed, since other servers on this machine can set cookies too. */
  function keep(visit: PageVisit, name: string, text: string, seconds?: number): void {
    remember(visit, name, `${sealed(`${name} ${text}`)}${text}`, seconds);
  }

  function stored(visit: PageVisit, name: string): string | undefined {
    const value = remembered(visit, name) ?? '';
    const text = value.slice(SEAL_CHARACTERS);
    return isSame(value.slice(0, SEAL_CHARACTERS), sealed(`${name} ${text}`)) ? text : undefined;
  }

  return {
    ...{ enter, keep, kept: stored, formToken, remember, remembered },
    keepReply: (visit: PageVisit, text: string) =>
      keep(visit, 'reply', cutCharacters(text, REPLY.characters), REPLY.seconds),
    takeReply(visit: PageVisit): string | undefined {
      const text = stored(visit, 'reply');
      if (text !== undefined) remember(visit, 'reply', '', 0);
      return text;
    },
    /**
     * Checks that the form has this browser's token.
     * @throws AccessError if the token is missing or wrong
     */
    checkForm(visit: PageVisit, brought: string | undefined): void {
      const browser = remembered(visit, 'browser');
      if (browser !== undefined && brought !== undefined && isSame(brought, formToken(visit))) return;
      const why = 'this form is not one that this page gave to this browser since it was started last';
      throw new AccessError(403, `${why}; nothing was sent. Go back, load the page again, and send it then`);
    },
    /** Returns the address of the next page; undefined if `word` is not the token. */
    letIn(visit: PageVisit, word: string): string | undefined {
      if (token === undefined || !isSame(word.trim(), token)) return undefined;
      if (inside === undefined || !isOutside(visit)) {
        rememberSession(visit);
        return '/';
      }
      const key = randomBytes(16).toString('base64url');
      keys.add(key);
      setTimeout(() => keys.delete(key), KEY_SECONDS * 1000).unref();
      return `${inside}/login?key=${key}`;
    },
    /** Admits a browser that typed the token at another origin, by the key in its address. */
    letInside(visit: PageVisit, key: string): boolean {
      if (isOutside(visit) || !keys.delete(key)) return false;
      rememberSession(visit);
      return true;
    },
  };
}

function personOf(visit: PageVisit, { header, addresses }: NonNullable<Entrance['proxy']>): string {
  // Removes the prefix that IPv4 addresses have on a server that also listens on IPv6.
  const from = visit.env.incoming.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  if (!addresses.includes(from)) {
    throw new AccessError(
      403,
      `this page is reached through its proxy alone, and the request came from ${from}; --proxy-address names the addresses of the proxy`,
    );
  }
  const sent = visit.env.incoming.headersDistinct[header.toLowerCase()] ?? [];
  if (sent.length > 1) {
    // Rejects repeated headers, since Node would join them and the result could look like one name.
    throw new AccessError(
      401,
      `the header ${header} came ${sent.length} times; the proxy sets it once, in place of any that came`,
    );
  }
  const [name] = sent;
  if (isName(name)) return name;
  throw new AccessError(
    401,
    `the proxy has not named who comes: expected the header ${header} with a name, got ${quote(name ?? 'none')}`,
  );
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(left!, right!);
}
