import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { didYouMean, nearestName } from '../plan/index.ts';
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
/** Time in ms after which a line on stderr says that the config is still loading. */
const TELL_MS = 10_000;

interface Patience {
  readonly tellMs?: number;
  readonly loadMs?: number;
  /** Prints a line for a person. Default: a warning of the process. */
  readonly warn?: (line: string) => void;
}

const CONFIG_FILES = [
  'planwright.config.ts',
  'planwright.config.mts',
  'planwright.config.js',
  'planwright.config.mjs',
] as const;

export function findConfig(folder: string): string | undefined {
  return CONFIG_FILES.map((name) => resolve(folder, name)).find((file) => existsSync(file));
}

export async function importDefault(
  path: string,
  { tellMs = TELL_MS, loadMs = LOAD_MS, warn: print = (line) => process.emitWarning(line) }: Patience = {},
): Promise<unknown> {
  const { createJiti } = await import('jiti');
  const telling = setTimeout(
    () => print(`${path} has been loading for ${tellMs / 1000} s; it is given up after ${loadMs / 1000} s`),
    tellMs,
  );
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
    const message = `${path} could not be loaded: ${why}`;
    throw new ConfigError([message, ...(await misnamed(path, why))].join('\n  '), { cause: error });
  } finally {
    clearTimeout(telling);
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

const IMPORTED = /import\s*\{([^}]*)\}\s*from\s*['"](planwright[^'"]*)['"]/g;

/**
 * Describes each name that the config imports but the package does not export, with the nearest names.
 * @param why the import error
 */
async function misnamed(path: string, why: string): Promise<readonly string[]> {
  const source = readFileSync(path, 'utf8');
  const imported = [...source.matchAll(IMPORTED)].flatMap(([, names = '', door = '']) =>
    names.split(',').map((name) => ({ door, name: name.trim().split(/\s/)[0] ?? '' })),
  );
  if (imported.length === 0) return [];
  const exported = await Promise.all(doors().map(async (door) => [door, await exportsOf(door)] as const));
  const doorOf = new Map(exported.flatMap(([door, names]) => names.map((name) => [name, door] as const)));
  const problems = imported.flatMap(({ door, name }) => {
    const names = exported.find(([one]) => one === door)?.[1];
    if (names === undefined) return [`there is no ${door}.${didYouMean(door, doors())}`];
    if (names.length === 0 || names.includes(name) || !why.includes(name) || name === '') return [];
    const near = nearestName(name, names) ?? nearestName(name, doorOf.keys());
    return [`${door} has no ${name}.${near === undefined ? '' : ` Did you mean "${near}" of ${doorOf.get(near)}?`}`];
  });
  return [...new Set(problems)];
}

/** The exports of a module; empty if it cannot be imported here. */
async function exportsOf(door: string): Promise<readonly string[]> {
  return import(door).then(Object.keys, () => []);
}
