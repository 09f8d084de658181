/** JSON that programs wrote, packed. `gunzip -c test/replay/histories/done.json.gz | less` shows one. */

import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

export function readPacked(file: string | URL): unknown {
  return JSON.parse(gunzipSync(readFileSync(file)).toString());
}

export function writePacked(file: string | URL, value: unknown): void {
  writeFileSync(file, gzipSync(`${JSON.stringify(value, undefined, 1)}\n`, { level: 9 }));
}
