/** A file of JSON, one object a line, that processes only append to. */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** A line, with the time and the process that wrote it, is on its way to the disk before this returns: a SIGKILL loses none. */
export function appendLine(file: string, entry: object): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), pid: process.pid, ...entry })}\n`);
}

/** All entries so far. A last line that is still being written is left for the next time. */
export function readLines(file: string): readonly unknown[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line): unknown => JSON.parse(line));
}
