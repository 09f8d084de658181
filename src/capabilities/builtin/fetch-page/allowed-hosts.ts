/** The hosts whose pages a project allows. */

import { describe } from '../../../protocol/index.ts';
import { listNames, quote } from '../../../plan/text/index.ts';

export interface AllowedHosts {
  /** Why an address is refused, as a sentence. `from` is the page that redirects to it. */
  problemOf(url: URL, from?: URL): string | undefined;
  /** Whether the address may be private: its host and port are listed literally. */
  mayBeInside(url: URL): boolean;
}

interface Entry {
  readonly name: string;
  readonly anyBelow: boolean;
  /** '' for the default port of the scheme. */
  readonly port: string;
}

const ENTRY = /^(\*\.)?([^:/?#@*\s]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;

/**
 * Reads a list of `example.org`, `*.example.org` (every name below it, not itself) and `intranet:8080`. Without a port
 * only the default port of the scheme is allowed.
 * @throws TypeError for an empty list or an invalid name
 */
export function readAllowedHosts(hosts: readonly string[] | undefined, allowPrivate: boolean): AllowedHosts {
  if (!Array.isArray(hosts) || hosts.length === 0) {
    throw new TypeError(
      'fetchPage: hosts is missing; list the hosts whose pages may be read, such as ["example.org", "*.example.org"]',
    );
  }
  const entries = (hosts as readonly unknown[]).map(readEntry);
  const entryOf = ({ hostname, port }: URL) =>
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
      if (entryOf(url) !== undefined) return undefined;
      return `the host ${quote(url.host)} is not allowed; allowed are ${listNames(hosts)} (hosts of fetchPage in the config)`;
    },
    mayBeInside(url) {
      const entry = entryOf(url);
      return allowPrivate && entry !== undefined && !entry.anyBelow && url.port !== '';
    },
  };
}

/** An address, relative to a page; undefined if it is invalid. */
export function parseAddress(address: string, base?: URL): URL | undefined {
  return URL.canParse(address, base?.href) ? new URL(address, base) : undefined;
}

function readEntry(given: unknown): Entry {
  const [whole, star = '', name = '', port = ''] = (typeof given === 'string' && ENTRY.exec(given)) || [];
  // The host in normal form: lower case, other alphabets as ASCII, numeric addresses as four numbers.
  const url = whole === undefined ? undefined : parseAddress(`http://${name}/`);
  if (url === undefined) {
    throw new TypeError(
      `fetchPage: ${describe(given)} is no host; expected a name such as "example.org", "*.example.org" or "intranet:8080"`,
    );
  }
  const { hostname } = url;
  if (star !== '' && !hostname.includes('.')) {
    throw new TypeError(`fetchPage: ${quote(String(given))} allows a whole top-level domain; name the host`);
  }
  return { name: hostname, anyBelow: star !== '', port };
}
