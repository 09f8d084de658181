import { readFileSync } from 'node:fs';

/** @example version() // '0.1.0' */
export function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
