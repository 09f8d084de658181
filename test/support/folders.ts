/** Folders of tests, below the temporary one. */

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder for all tests of the file, or of the `describe` in which it is made; it goes after them. */
export function fileFolder(name: string): string {
  const folder = made(name);
  afterAll(() => remove(folder));
  return folder;
}

/** A folder for the test in which, or in whose `beforeEach`, it is made; it goes after it. */
export function testFolder(name: string): string {
  const folder = made(name);
  onTestFinished(() => remove(folder));
  return folder;
}

const made = (name: string) => realpathSync(mkdtempSync(join(tmpdir(), `planwright-${name}-`)));
const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
