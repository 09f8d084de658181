/** The package as npm would install it, in a folder that knows nothing of this checkout. */

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/source-files.ts';

const run = promisify(execFile);

export interface Installed {
  /** To be removed with all that is in it. */
  readonly base: string;
  /** Where a program of the package's user would be. */
  readonly app: string;
  /** The package itself. */
  readonly packed: string;
  /** Bytes of the package, and of all that is in it. */
  readonly size: number;
  readonly unpackedSize: number;
  write(file: string, text: string): Promise<string>;
}

/** Packs what was built, and unpacks it where `app` finds it. What it depends on is found one folder above, without any network. */
export async function install(): Promise<Installed> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'planwright-packed-')));
  const app = join(base, 'app');
  const packed = join(app, 'node_modules/planwright');
  await mkdir(packed, { recursive: true });
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', base];
  const { stdout } = await run('npm', pack, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 });
  type Pack = Pick<Installed, 'size' | 'unpackedSize'> & { readonly filename: string };
  const [{ filename, size, unpackedSize }] = JSON.parse(stdout) as [Pack];
  await run('tar', ['-xzf', join(base, filename), '-C', packed, '--strip-components=1']);
  await symlink(join(ROOT, 'node_modules'), join(base, 'node_modules'));
  await mkdir(join(app, 'node_modules/.bin'));
  await symlink('../planwright/dist/cli/main.js', join(app, 'node_modules/.bin/planwright'));
  await symlink('../../../node_modules/.bin/tsx', join(app, 'node_modules/.bin/tsx'));
  const write = async (file: string, text: string) => {
    const path = join(app, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  await write('package.json', '{ "name": "app", "type": "module" }');
  return { base, app, packed, size, unpackedSize, write };
}
