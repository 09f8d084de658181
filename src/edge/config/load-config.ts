/** Finds and reads planwright.config.ts. TypeScript is read as it stands; jiti is loaded only when there is a file to read. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Agent, Capability } from '../../define/index.ts';
import type { IdentityConfig } from '../../wire/identity/index.ts';
import { DEFAULT_TASK_QUEUE, type ApprovalRule } from '../../wire/contract/index.ts';
import type { LoopPolicy } from '../../define/index.ts';
import { describeValue, messageOf } from '../../language/text/index.ts';
import { parseRules } from '../../engine/run/index.ts';
import type { PlanwrightConfig } from './define-config.ts';
import { IdentitySchema, readIdentity } from './read-identity.ts';
import { knownKeys, ModelSchema, modelProblems, PlannerSchema, readPlanner, type ReadPlanner } from './read-models.ts';

export const CONFIG_FILES = [
  'planwright.config.ts',
  'planwright.config.mts',
  'planwright.config.js',
  'planwright.config.mjs',
] as const;

export interface LoadedConfig {
  readonly file: string;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  /** The capability or the agent that carries out a task which names none. */
  readonly defaultExecutor?: string;
  /** The model as it was written; `modelSettings` layers it. */
  readonly model?: NonNullable<PlanwrightConfig['model']>;
  readonly planner: ReadPlanner;
  readonly policy?: LoopPolicy;
  /** The folders where files of plans may be; `base` is the folder of the config. */
  readonly files: { readonly base: string; readonly folders?: readonly string[] };
  readonly storeDir: string;
  readonly taskQueue: string;
  /** The identity with the PEM texts of the keys, each of them read and checked. */
  readonly identity?: IdentityConfig;
  /** Approval rules of every run; at least one. */
  readonly rules?: readonly ApprovalRule[];
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const CapabilitySchema = z.custom<Capability>(
  (value) => typeof value === 'object' && value !== null && 'execute' in value && 'name' in value && 'input' in value,
  'expected a capability made by defineCapability',
);

/** `defineAgent` has checked the rest, and fills in what is not said. */
const AgentSchema = z.custom<Agent>((value) => {
  if (typeof value !== 'object' || value === null) return false;
  const { name, instructions, capabilities, limits } = value as Partial<Agent>;
  const isNamed = typeof name === 'string' && typeof instructions === 'string';
  return isNamed && Array.isArray(capabilities) && typeof limits?.attemptMs === 'number';
}, 'expected an agent made by defineAgent');

const PolicySchema = z.custom<LoopPolicy>(
  (value) =>
    typeof value === 'object' && value !== null && 'stages' in value && 'actions' in value && 'observers' in value,
  'expected a policy made by definePolicy',
);

const config = {
  capabilities: z.array(CapabilitySchema).optional(),
  agents: z.array(AgentSchema).optional(),
  tasks: z.strictObject({ default: z.string().optional() }).optional(),
  model: ModelSchema.optional(),
  planner: PlannerSchema.optional(),
  policy: PolicySchema.optional(),
  results: z.strictObject({ dir: z.string().min(1).optional() }).optional(),
  files: z.strictObject({ folders: z.array(z.string().min(1)).optional() }).optional(),
  taskQueue: z.string().min(1).max(200).optional(),
  identity: IdentitySchema.optional(),
  approval: z.strictObject({ rules: z.array(z.unknown()) }).optional(),
};
const ConfigSchema = z.strictObject(config, { error: knownKeys(config) });

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

/**
 * Checks a configuration that was read from `file`, resolves its folders against it and reads its keys.
 * @throws ConfigError that names the file and every field that does not fit.
 */
export function checkConfig(given: unknown, file: string): LoadedConfig {
  const checked = ConfigSchema.safeParse(given);
  if (!checked.success) {
    throw misfit(
      file,
      checked.error.issues.map((issue) => `${['config', ...issue.path].join('.')}: ${issue.message}`),
    );
  }
  const {
    capabilities = [],
    agents = [],
    tasks,
    model,
    planner = {},
    policy,
    results,
    files,
    taskQueue,
    identity,
    approval,
  } = checked.data;
  const read = identity === undefined ? undefined : readIdentity(identity, dirname(file));
  const problems = [
    ...(read?.ok === false ? read.problems : []),
    ...modelProblems({ model, planner: planner.model, agents }),
  ];
  const rules = approval && parseRules(approval.rules, 'config.approval.rules', problems);
  if (problems.length > 0) throw misfit(file, problems);
  return {
    file,
    capabilities,
    agents,
    ...(tasks?.default !== undefined && { defaultExecutor: tasks.default }),
    ...(model !== undefined && { model }),
    planner: readPlanner(planner),
    ...(policy !== undefined && { policy }),
    files: { base: dirname(file), ...(files?.folders !== undefined && { folders: files.folders }) },
    storeDir: storeDir(dirname(file), results?.dir),
    taskQueue: taskQueue ?? DEFAULT_TASK_QUEUE,
    ...(read?.ok === true && { identity: read.identity }),
    ...(rules !== undefined && { rules }),
  };
}

/** The folder of the result store: as configured, else PLANWRIGHT_STORE, else `.planwright/results` in `base`. */
export function storeDir(base: string, configured?: string): string {
  return resolve(base, configured ?? process.env['PLANWRIGHT_STORE'] ?? '.planwright/results');
}

function misfit(file: string, problems: readonly string[]): ConfigError {
  return new ConfigError(`${file} does not fit:\n  ${problems.join('\n  ')}`);
}

/** A config may read files and ask a service; one that never ends must not hold the program, nor let it end in silence. */
const LOAD_MS = 60_000;
/** On a busy machine it may be late and end all the same. */
const TELL_MS = 10_000;

interface Patience {
  readonly tellMs?: number;
  readonly loadMs?: number;
  /** Takes a line for a person. Default: stderr. */
  readonly tell?: (line: string) => void;
}

export async function importDefault(
  path: string,
  { tellMs = TELL_MS, loadMs = LOAD_MS, tell = (line) => void process.stderr.write(`${line}\n`) }: Patience = {},
): Promise<unknown> {
  const { createJiti } = await import('jiti');
  const telling = setTimeout(
    () => tell(`${path} has been loading for ${tellMs / 1000} s; it is given up after ${loadMs / 1000} s`),
    tellMs,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const waits = `it was not done after ${loadMs / 1000} s; look for a top-level await that never ends`;
    timer = setTimeout(() => reject(new Error(waits)), loadMs);
  });
  try {
    const loading = createJiti(import.meta.url, { alias: ownPackages(path) }).import<{ default?: PlanwrightConfig }>(
      path,
    );
    const module = await Promise.race([loading, late]);
    return module.default ?? module;
  } catch (error) {
    throw new ConfigError(
      `${path} could not be loaded: ${error instanceof Error ? messageOf(error) : `it threw ${describeValue(error)}`}`,
      { cause: error },
    );
  } finally {
    clearTimeout(telling);
    clearTimeout(timer);
  }
}

/**
 * The packages that a config file cannot do without, where its project has not installed them: as they are for this
 * program. So a first config runs in a folder that holds nothing else.
 */
function ownPackages(path: string): Record<string, string> {
  const project = createRequire(path);
  const own = createRequire(import.meta.url);
  const { exports } = own('../../../package.json') as { exports: Record<string, unknown> };
  const names = [...Object.keys(exports).map((door) => door.replace('.', 'planwright')), 'zod'];
  return Object.fromEntries(
    names.filter((name) => find(project, name) === undefined).flatMap((name) => entry(name, find(own, name))),
  );
}

function find(require: NodeJS.Require, name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}

function entry(name: string, file: string | undefined): [string, string][] {
  return file === undefined ? [] : [[name, file]];
}
