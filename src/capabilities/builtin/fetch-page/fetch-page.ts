import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { quote, listNames } from '../../../plan/text/index.ts';
import { CapabilityError, defineCapability, type WorkCapability } from '../../index.ts';
import { readHtml } from './html-text.ts';
import { misfit, readBody, requestPage, resolveByDns, unreachable, type ResolveHost } from './request-page.ts';
import { describe, timeoutSignal } from '../../../protocol/index.ts';

interface AllowedHosts {
  /** Why an address is not allowed, as a sentence. `from` is the page that redirects to the address. */
  problemOf(url: URL, from?: URL): string | undefined;
  mayBeInside(url: URL): boolean;
}

interface Entry {
  readonly name: string;
  readonly anyBelow: boolean;
  readonly port: string;
}

const ENTRY = /^(\*\.)?([^:/?#@*\s]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;

/**
 * Reads a list of hosts: `example.org`, `*.example.org` (every name below it, but not itself), `intranet:8080`.
 * @throws TypeError for an empty list or an invalid name
 */
export function readAllowedHosts(hosts: readonly string[] | undefined, allowPrivate: boolean): AllowedHosts {
  if (!Array.isArray(hosts) || hosts.length === 0) {
    throw new TypeError(
      'fetchPage: hosts is missing; list the hosts whose pages may be read, such as ["example.org", "*.example.org"]',
    );
  }
  const entries = (hosts as readonly unknown[]).map(readHost);
  const hostEntry = ({ hostname, port }: URL) =>
    entries.find(
      (one) => one.port === port && (one.anyBelow ? hostname.endsWith(`.${one.name}`) : hostname === one.name),
    );
  return {
    problemOf(url, from) {
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        return `${quote(url.protocol)} is not read; expected http: or https:`;
      }
      if (url.username !== '' || url.password !== '') return 'an address with a user or a password is not read';
      if (url.protocol === 'http:' && from?.protocol === 'https:') return 'http: is not encrypted, and https: was';
      if (hostEntry(url) !== undefined) return undefined;
      return `the host ${quote(url.host)} is not allowed; allowed are ${listNames(hosts)} (hosts of fetchPage in the config)`;
    },
    mayBeInside(url) {
      const entry = hostEntry(url);
      return allowPrivate && entry !== undefined && !entry.anyBelow && url.port !== '';
    },
  };
}

function parseAddress(address: string, base?: URL): URL | undefined {
  return URL.canParse(address, base?.href) ? new URL(address, base) : undefined;
}

function readHost(value: unknown): Entry {
  const [whole, star = '', name = '', port = ''] = (typeof value === 'string' && ENTRY.exec(value)) || [];
  const url = whole === undefined ? undefined : parseAddress(`http://${name}/`);
  if (url === undefined) {
    throw new TypeError(
      `fetchPage: ${describe(value)} is no host; expected a name such as "example.org", "*.example.org" or "intranet:8080"`,
    );
  }
  const { hostname } = url;
  if (star !== '' && !hostname.includes('.')) {
    throw new TypeError(`fetchPage: ${quote(String(value))} allows a whole top-level domain; name the host`);
  }
  return { name: hostname, anyBelow: star !== '', port };
}

/** The options of `fetchPage`: the allowed hosts, and the limits of one page. */
export interface FetchPageOptions {
  /** `example.org`, `*.example.org` (every name below), `intranet:8080`. Default ports: 80 for http, 443 for https. */
  readonly hosts: readonly string[];
  /** Maximum size of a page in bytes. Default 1 MiB, at most 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** The content types that are allowed. Default `text/*`, `application/json`, `application/xhtml+xml`. */
  readonly types?: readonly string[] | undefined;
  /** Maximum number of redirects, each to an allowed host. Default 5, at most 20; with 0, no redirect is followed. */
  readonly redirects?: number | undefined;
  /** Maximum time for one page with its redirects, in milliseconds. Default 20,000, at most 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Allows private and loopback addresses for hosts that are listed with their port. Default false. */
  readonly allowPrivate?: boolean | undefined;
  /** Whether strangers may have written the pages. Default true. */
  readonly untrusted?: boolean | undefined;
  /** Resolves the name of a host. Default: the resolver of the system. */
  readonly resolve?: ResolveHost | undefined;
}

const TYPES = ['text/*', 'application/json', 'application/xhtml+xml'];
/** The default limits of `fetchPage`. */
const DEFAULTS = { maxBytes: 1_048_576, redirects: 5, timeoutMs: 20_000 };
const FETCH_LIMITS = { maxBytes: 16_777_216, redirects: 20, timeoutMs: 120_000 };
const MAX_URL = 2000;
/** Maximum pause in ms before a retry, even if the server asks for a longer one. */
const MAX_RETRY_AFTER_MS = 600_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAY_PASS = new Set([408, 425, 429]);
const FIRST_OK = 200;
const FIRST_REDIRECT = 300;
const FIRST_SERVER_ERROR = 500;

const address = z.strictObject({ url: z.string().max(MAX_URL) });

/**
 * A capability that reads the page `{ url }` as `{ url, status, title?, text, bytes, fetchedAt }`. `url` is the address
 * after redirects, `text` the visible text, and `fetchedAt` an ISO time. An address that is not allowed is an issue of
 * the plan. Private, loopback, link-local and multicast addresses are rejected, whatever name leads to them. Models see
 * the page as untrusted data. It fails with `REPLANNING` if the page is unusable, with `RETRIABLE` if a retry may help.
 * @throws TypeError if `hosts` is missing or an option is invalid
 * @example defineConfig({ capabilities: [fetchPage({ hosts: ['example.org', '*.example.org'] })] });
 */
export function fetchPage(options: FetchPageOptions): WorkCapability<typeof address, 'value'> {
  const { hosts, types = TYPES, allowPrivate = false, untrusted = true, resolve = resolveByDns } = options;
  const allowed = readAllowedHosts(hosts, allowPrivate);
  const bounds = readBounds(options);
  const input = address.superRefine(({ url }, context) => {
    const parsed = parseAddress(url);
    const message =
      parsed === undefined ? 'expected an address such as "https://example.org/page"' : allowed.problemOf(parsed);
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['url'], message });
  });
  return defineCapability({
    name: 'fetchPage',
    description: `Reads one page of ${hosts.join(', ')}, and gives its text.`,
    guide: {
      when: 'The address of a page is known and what it says is needed.',
      examples: [`fetchPage { "url": "https://${(hosts[0] ?? '').replace('*', 'www')}/" }`],
    },
    input,
    output: 'value',
    effect: 'read',
    usesGoal: false,
    untrusted: untrusted && 'web page',
    reads: ['pages of the hosts that the project names'],
    async execute(task) {
      const timeout = timeoutSignal(bounds.timeoutMs);
      const signal = AbortSignal.any([task.signal, timeout]);
      try {
        return await read(new URL(task.arguments.url), signal);
      } catch (error) {
        // If the run was cancelled, its own reason is thrown. A slow page is RETRIABLE, since it may be faster later.
        if (!timeout.aborted || task.signal.aborted || error instanceof CapabilityError) throw error;
        const message = `fetchPage: ${quote(task.arguments.url)} took more than ${bounds.timeoutMs} ms`;
        throw new CapabilityError('RETRIABLE', message, { cause: error });
      }
    },
  });

  async function read(first: URL, signal: AbortSignal) {
    let url = first;
    for (let followed = 0; ; followed++) {
      const mayBeInside = allowed.mayBeInside(url);
      const answer = await requestPage({ url, mayBeInside, resolve, accept: types.join(', '), signal });
      try {
        const status = answer.statusCode ?? 0;
        if (!REDIRECTS.has(status)) return await pageOf(url, status, answer, signal);
        if (followed >= bounds.redirects)
          throw misfit(`more than ${bounds.redirects} redirects, the last at ${quote(url.href)}`);
        url = redirected(url, answer);
      } finally {
        answer.destroy();
      }
    }
  }

  function redirected(from: URL, { headers: { location = '' } }: IncomingMessage): URL {
    const to = location === '' ? undefined : parseAddress(location, from);
    if (to === undefined) throw misfit(`${quote(from.href)} redirects to ${quote(location)}, which is no address`);
    const problem = allowed.problemOf(to, from);
    if (problem !== undefined) throw misfit(`${quote(from.href)} redirects to ${quote(to.href)}: ${problem}`);
    return to;
  }

  async function pageOf(url: URL, status: number, answer: IncomingMessage, signal: AbortSignal) {
    if (status < FIRST_OK || status >= FIRST_REDIRECT) throw refusedBy(url, status, answer);
    const { text, type, bytes } = await readBody(answer, { maxBytes: bounds.maxBytes, types }).catch(
      (error: unknown) => {
        throw error instanceof CapabilityError ? error : unreachable(url, error, signal);
      },
    );
    const page = type.includes('html') ? readHtml(text) : { text };
    url.hash = '';
    const fetchedAt = new Date().toISOString();
    return { url: url.href, status, ...page, bytes, fetchedAt };
  }
}

function refusedBy({ href }: URL, status: number, { headers }: IncomingMessage): CapabilityError {
  const message = `fetchPage: ${quote(href)} answered ${status}`;
  if (!MAY_PASS.has(status) && status < FIRST_SERVER_ERROR) return new CapabilityError('REPLANNING', message);
  const ms = retryAfter(headers['retry-after'] ?? '');
  return new CapabilityError('RETRIABLE', message, ms >= 0 ? { retryAfterMs: Math.min(ms, MAX_RETRY_AFTER_MS) } : {});
}

function retryAfter(after: string): number {
  return /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
}

function readBounds(options: FetchPageOptions): typeof DEFAULTS {
  const bounds = { ...DEFAULTS };
  for (const [name, max] of Object.entries(FETCH_LIMITS) as [keyof typeof FETCH_LIMITS, number][]) {
    const option = options[name] ?? bounds[name];
    const min = name === 'redirects' ? 0 : 1;
    if (!Number.isSafeInteger(option) || option < min || option > max) {
      throw new TypeError(`fetchPage: ${name} is a whole number from ${min} to ${max}, not ${String(option)}`);
    }
    bounds[name] = option;
  }
  return bounds;
}
