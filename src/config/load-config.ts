/** Finds and checks planwright.config.ts. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Agent, Capability } from '../capabilities/index.ts';
import type { IdentityConfig } from '../protocol/identity/index.ts';
import {
  budgetProblems,
  DEFAULT_TASK_QUEUE,
  given,
  parseRules,
  type ApprovalRule,
  type Given,
} from '../protocol/index.ts';
import { unmeetable } from '../workflows/run/index.ts';
import { storeOf } from './environment.ts';
import { ConfigError, importDefault } from './import-config.ts';
import { modelProblems, type PlannerConfig } from './model-schema.ts';
import { configSchema, type PlanwrightConfig } from './schema.ts';

export const CONFIG_FILES = [
  'planwright.config.ts',
  'planwright.config.mts',
  'planwright.config.js',
  'planwright.config.mjs',
] as const;

/** Not resolved here: `modelSettings` combines the model's layers, and the environment provides values. */
type AsWritten = Pick<PlanwrightConfig, 'model' | 'mode' | 'policy' | 'encryption' | 'budget' | 'mcp'>;

export interface LoadedConfig extends Given<AsWritten> {
  readonly file: string;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  /** Runs tasks that name neither capability nor agent. */
  readonly defaultExecutor?: string;
  readonly planner: PlannerConfig & { readonly format: NonNullable<PlannerConfig['format']> };
  /** Folders for plans' files; `base` is the config's folder. */
  readonly files: { readonly base: string; readonly folders?: readonly string[] };
  /** The store's text. @throws ConfigError if a named variable is missing */
  readonly store: () => string;
  /** The project has `draftCapabilities`. */
  readonly conversation: boolean;
  readonly taskQueue: string;
  /** Keys as checked PEM texts. */
  readonly identity?: IdentityConfig;
  /** Of every run; at least one. */
  readonly rules?: readonly ApprovalRule[];
}

/** Undefined if the folder has no config. */
export function findConfig(folder: string): string | undefined {
  return CONFIG_FILES.map((name) => resolve(folder, name)).find((file) => existsSync(file));
}

/** Imports and checks a config. @throws ConfigError that names the file and every wrong field */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  const path = resolve(file);
  if (!existsSync(path)) throw new ConfigError(`there is no config file ${path}; name one with --config FILE`);
  const loaded = checkConfig(await importDefault(path), path);
  if (loaded.encryption === undefined || mayEncrypt(path)) return loaded;
  const where = 'write it in this file itself: commands that read no config look for the word in it';
  throw misfit(path, [`config.encryption: ${where}`]);
}

/** By its text alone: importing takes half a second, and the config may be broken. */
export function mayEncrypt(file: string): boolean {
  return readFileSync(file, 'utf8').includes('encryption');
}

/**
 * Checks a config imported from `file`, resolves its folders and reads its keys.
 * @throws ConfigError that names the file and every wrong field
 */
export function checkConfig(config: unknown, file: string): LoadedConfig {
  const base = dirname(file);
  const checked = configSchema(base).safeParse(config);
  if (!checked.success) {
    const problems = checked.error.issues.map(({ path, message }) => `${['config', ...path].join('.')}: ${message}`);
    throw misfit(file, problems);
  }
  const { capabilities = [], agents = [], tasks, planner, results, files, identity, approval, ...more } = checked.data;
  const { taskQueue = DEFAULT_TASK_QUEUE, conversation = false, budget, model } = more;
  const problems = [
    ...modelProblems({ model, planner, agents }, budget?.money !== undefined),
    ...(budget === undefined ? [] : budgetProblems(budget, 'config.budget')),
  ];
  const rules = approval && parseRules(approval.rules, 'config.approval.rules', problems);
  const unmet = rules && unmeetable(rules, (identity as IdentityConfig | undefined)?.keys);
  if (unmet !== undefined) problems.push(`config.approval.rules: ${unmet}`);
  if (problems.length > 0) throw misfit(file, problems);
  return given({
    ...{ ...more, file, capabilities, agents, defaultExecutor: tasks?.default, taskQueue, conversation, rules },
    planner: { ...given({ ...planner }), format: planner?.format ?? 'nodes' },
    files: given({ base, folders: files?.folders }),
    store: () => storeOf(base, results, file),
    identity: identity as IdentityConfig | undefined,
  });
}

function misfit(file: string, problems: readonly string[]): ConfigError {
  return new ConfigError(`${file} does not fit:\n  ${problems.join('\n  ')}`);
}
