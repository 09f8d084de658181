/** The folder in which this program keeps what it fetches and builds. */

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * The folder for a Temporal CLI that we fetched or built, and for the default database of the dev server:
 * `$PLANWRIGHT_CACHE`, else `$XDG_CACHE_HOME/planwright`, else `~/.cache/planwright`. An empty variable counts as
 * unset.
 */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env['PLANWRIGHT_CACHE']) return resolve(env['PLANWRIGHT_CACHE']);
  if (env['XDG_CACHE_HOME']) return resolve(env['XDG_CACHE_HOME'], 'planwright');
  return join(homedir(), '.cache', 'planwright');
}
