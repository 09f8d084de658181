/** Finds planwright.config.ts, and checks what it holds. */

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

/** What is read as it was written; `modelSettings` layers the model, and functions of the environment tell its values. */
type AsWritten = Pick<PlanwrightConfig, 'model' | 'mode' | 'policy' | 'encryption' | 'budget' | 'mcp'>;

export interface LoadedConfig extends Given<AsWritten> {
  readonly file: string;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  /** The capability or the agent that carries out a task which names none. */
  readonly defaultExecutor?: string;
  readonly planner: PlannerConfig & { readonly format: NonNullable<PlannerConfig['format']> };
  /** The folders where files of plans may be; `base` is the folder of the config. */
  readonly files: { readonly base: string; readonly folders?: readonly string[] };
  /** The text that names the result store. @throws ConfigError where the environment does not have what it names */
  readonly store: () => string;
  /** The project has the capabilities of `draftCapabilities`. */
  readonly conversation: boolean;
  readonly taskQueue: string;
  /** The identity with the PEM texts of the keys, each of them read and checked. */
  readonly identity?: IdentityConfig;
  /** Approval rules of every run; at least one. */
  readonly rules?: readonly ApprovalRule[];
}

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
  const loaded = checkConfig(await importDefault(path), path);
  if (loaded.encryption === undefined || mayEncrypt(path)) return loaded;
  const where = 'write it in this file itself: commands that read no config look for the word in it';
  throw misfit(path, [`config.encryption: ${where}`]);
}

/** Whether a config may encrypt, by its text alone: to load it takes half a second, and it may be broken. */
export function mayEncrypt(file: string): boolean {
  return readFileSync(file, 'utf8').includes('encryption');
}

/**
 * Checks a configuration that was read from `file`, resolves its folders against it and reads its keys.
 * @throws ConfigError that names the file and every field that does not fit.
 */
export function checkConfig(config: unknown, file: string): LoadedConfig {
  const base = dirname(file);
  const checked = configSchema(base).safeParse(config);
  if (!checked.success) {
    const told = checked.error.issues.map(({ path, message }) => `${['config', ...path].join('.')}: ${message}`);
    throw misfit(file, told);
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
