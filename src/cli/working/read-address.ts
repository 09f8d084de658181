/** An address that something listens on, as it is typed: nothing is open to other machines that did not say so. */

import { isIP } from 'node:net';
import { OperationError } from '../../operations/index.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const LOOPBACK = '127.0.0.1';
const MOST_PORT = 65_535;

/**
 * `9464` and `localhost:9464` are of this machine alone; `0.0.0.0:9464` is of every machine that reaches it.
 * @throws OperationError USAGE that names the flag
 */
export function readAddress(typed: string, flag: string): Address {
  const [, named, digits = ''] = /^(?:\[?([^[\]]*?)\]?:)?(\d{1,5})$/.exec(typed.trim()) ?? [];
  const host = named === undefined || named === '' || named === 'localhost' ? LOOPBACK : named;
  const port = Number(digits);
  if (isIP(host) !== 0 && digits !== '' && port >= 1 && port <= MOST_PORT) return { host, port };
  throw new OperationError(
    'USAGE',
    `${flag}: expected a port, such as 9464, or an IP address with one, such as 0.0.0.0:9464, got "${typed}"; a port alone is ` +
      'open to this machine only',
  );
}

/** As it is typed: `[::1]:9464`. */
export function addressText({ host, port }: Address): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
