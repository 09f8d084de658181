/** Builds the program once before any test: what tests run as a process of its own is made of today's sources. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url));

/** Takes about 0.1 s where nothing has changed. */
export function setup(): void {
  const { status } = spawnSync(process.execPath, [SCRIPT], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error('the program cannot be built; the reasons are above');
}
