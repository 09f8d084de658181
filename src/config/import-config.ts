import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { given } from '../protocol/index.ts';
import { describeValue, messageOf } from '../plan/text/index.ts';
import type { PlanwrightConfig } from './schema.ts';

/** A config that cannot be loaded or is invalid; the message names the file and every field. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Time limit for loading a config, in milliseconds. It may read files and call services; one that never ends must not
 * block the program, nor end it silently.
 */
const LOAD_MS = 60_000;
const CONFIG_FILES = [
  'planwright.config.ts',
  'planwright.config.mts',
  'planwright.config.js',
  'planwright.config.mjs',
] as const;

export function findConfig(folder: string): string | undefined {
  return CONFIG_FILES.map((name) => resolve(folder, name)).find((file) => existsSync(file));
}

export async function importDefault(path: string, loadMs = LOAD_MS): Promise<unknown> {
  const { createJiti } = await import('jiti');
  let timer: NodeJS.Timeout | undefined;
  const waits = `it was not done after ${loadMs / 1000} s; look for a top-level await that never ends`;
  try {
    const loading = createJiti(import.meta.url, { alias: ownPackages(path) }).import<{ default?: PlanwrightConfig }>(
      path,
    );
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(waits)), loadMs);
    });
    const module = await Promise.race([loading, late]);
    return module.default ?? module;
  } catch (error) {
    const why = error instanceof Error ? messageOf(error) : `it threw ${describeValue(error)}`;
    throw new ConfigError(`${path} could not be loaded: ${why}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Maps packages that a project's folder has not installed to the copies of this program. */
function ownPackages(path: string): Record<string, string> {
  const project = createRequire(path);
  const own = createRequire(import.meta.url);
  const names = [...doors(), 'zod'];
  const missing = names.filter((name) => find(project, name) === undefined);
  return given(Object.fromEntries(missing.map((name) => [name, find(own, name)])) as Record<string, string>);
}

function find(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

function doors(): readonly string[] {
  const { exports } = createRequire(import.meta.url)('../../package.json') as { exports: Record<string, unknown> };
  return Object.keys(exports).map((door) => door.replace('.', 'planwright'));
}
