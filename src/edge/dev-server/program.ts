/** Programs of this machine. */

import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** How the names of programs end on this system. */
export const EXE = process.platform === 'win32' ? '.exe' : '';

export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The first program of this name (without extension) on `PATH`. */
export async function programOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, `${name}${EXE}`);
    if (folder !== '' && (await isProgram(path))) return path;
  }
  return undefined;
}
