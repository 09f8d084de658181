/**
 * Programs that tests start and kill. They are compiled once and run on `dist`: a process that compiles its own sources is
 * ready after three times as long, and the tests start some sixty.
 */

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-files.ts';

/** Below node_modules, where the imports of packages lead to those of the project. */
const BUILT = join(ROOT, 'node_modules', '.cache', 'planwright');

/** @param name of a file of test/tsconfig.processes.json, as `faults/worker-process` */
export const processOf = (name: string): string => join(BUILT, 'test', `${name}.js`);

/** Beside the compiled tests `src` is the built program. */
export function linkProgram(): void {
  mkdirSync(BUILT, { recursive: true });
  writeFileSync(join(BUILT, 'package.json'), '{"type":"module"}');
  rmSync(join(BUILT, 'src'), { force: true });
  symlinkSync(join(ROOT, 'dist'), join(BUILT, 'src'), 'junction');
}

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
