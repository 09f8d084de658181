/** The cache folder, by environment. */

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder } from '../../../src/cli/dev-server/options.ts';

test.each<[NodeJS.ProcessEnv, string]>([
  [{ PLANWRIGHT_CACHE: '/a/b', XDG_CACHE_HOME: '/c' }, resolve('/a/b')],
  [{ PLANWRIGHT_CACHE: '', XDG_CACHE_HOME: '/c' }, resolve('/c/planwright')],
  [{ XDG_CACHE_HOME: '' }, join(homedir(), '.cache', 'planwright')],
  [{}, join(homedir(), '.cache', 'planwright')],
])('%o', (env, folder) => {
  expect(cacheFolder(env)).toBe(folder);
});
