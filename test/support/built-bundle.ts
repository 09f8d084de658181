import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

/** The bundle that workers of the package have, as test/support/build.ts has made it. */
export async function builtBundle(): Promise<string> {
  const folder = join(ROOT, 'dist', 'workflows');
  const [bundle] = (await readdir(folder)).filter((file) => file.startsWith('bundle-'));
  if (bundle === undefined) throw new Error(`There is no bundle of the workflows in ${folder}: npm run build`);
  return join(folder, bundle);
}
