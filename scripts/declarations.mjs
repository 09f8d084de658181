/** The declarations that the package holds: what a program can reach through its doors, with the docstrings of what it can import. */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { entriesOf } from './api-pages.mjs';

const FROM = /\b(?:from|import)\s*\(?\s*'(\.[^']+)\.[jt]s'/g;
/** About a file, and so about code that is not in it. */
const HEAD = /^\/\*\*(?:(?!\*\/)[^])*\*\/\n(?=import |\/\*\*)/;
const COMMENT = /^[ \t]*\/\*\*[^]*?\*\/\n/gm;

/**
 * Removes the files that no door reaches, the comments of those from which no door exports a name, and the first
 * comment of the others.
 *
 * @param {readonly string[]} files all declarations
 * @param {readonly string[]} doors
 */
export function keepReached(files, doors) {
  const reached = reachedFrom(doors);
  const named = new Set([...doors, ...doors.flatMap((door) => entriesOf(door).map(({ file }) => file))]);
  for (const file of files) {
    if (!reached.has(file)) rmSync(file);
    else writeFileSync(file, readFileSync(file, 'utf8').replace(named.has(file) ? HEAD : COMMENT, ''));
  }
}

/** @param {readonly string[]} doors */
function reachedFrom(doors) {
  const reached = new Set(doors);
  // A set gives what is added to it while it is walked.
  for (const file of reached) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(FROM)) {
      reached.add(join(dirname(file), `${path}.d.ts`));
    }
  }
  return reached;
}
