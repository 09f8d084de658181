/** Finds and reads planwright.config.ts. TypeScript is read as it stands; jiti is loaded only when there is a file to read. */

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Capability } from '../capabilities/index.ts';
import { DEFAULT_TASK_QUEUE } from '../run/index.ts';
import type { PlanwrightConfig } from './define-config.ts';

export const CONFIG_FILES = ['planwright.config.ts', 'planwright.config.js', 'planwright.config.mjs'] as const;

export interface LoadedConfig {
  readonly file: string;
  readonly capabilities: readonly Capability[];
  readonly defaultCapability?: string;
  readonly storeDir: string;
  readonly taskQueue: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const CapabilitySchema = z.custom<Capability>(
  (value) => typeof value === 'object' && value !== null && 'execute' in value && 'name' in value && 'input' in value,
  'expected a capability made by defineCapability',
);

const ConfigSchema = z.strictObject({
  capabilities: z.array(CapabilitySchema),
  tasks: z.strictObject({ default: z.string().optional() }).optional(),
  results: z.strictObject({ dir: z.string().min(1).optional() }).optional(),
  taskQueue: z.string().min(1).max(200).optional(),
});

/** The config file of a folder, or undefined when it has none. */
export function findConfig(folder: string): string | undefined {
  return CONFIG_FILES.map((name) => resolve(folder, name)).find((file) => existsSync(file));
}

/**
 * Reads a config file.
 * @throws ConfigError that names the file and every field that does not fit.
 */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  const path = resolve(file);
  if (!existsSync(path)) throw new ConfigError(`there is no config file ${path}; name one with --config FILE`);
  return checkConfig(await importDefault(path), path);
}

/** Checks a configuration that was read from `file`, and resolves its folders against it. */
export function checkConfig(config: unknown, file: string): LoadedConfig {
  const checked = ConfigSchema.safeParse(config);
  if (!checked.success) {
    const problems = checked.error.issues.map((issue) => `${['config', ...issue.path].join('.')}: ${issue.message}`);
    throw new ConfigError(`${file} does not fit:\n  ${problems.join('\n  ')}`);
  }
  const { capabilities, tasks, results, taskQueue } = checked.data;
  return {
    file,
    capabilities,
    ...(tasks?.default !== undefined && { defaultCapability: tasks.default }),
    storeDir: storeDir(dirname(file), results?.dir),
    taskQueue: taskQueue ?? DEFAULT_TASK_QUEUE,
  };
}

/** The folder of the result store: as configured, else PLANWRIGHT_STORE, else `.planwright/results` in `base`. */
export function storeDir(base: string, configured?: string): string {
  return resolve(base, configured ?? process.env['PLANWRIGHT_STORE'] ?? '.planwright/results');
}

async function importDefault(path: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  try {
    const module = await createJiti(import.meta.url).import<{ default?: PlanwrightConfig }>(path);
    return module.default ?? module;
  } catch (error) {
    throw new ConfigError(`${path} could not be loaded: ${(error as Error).message}`, { cause: error });
  }
}
