/** Finds planwright.config.ts, and checks what it holds. */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { Agent, Capability, LoopPolicy } from '../capabilities/index.ts';
import type { IdentityConfig } from '../protocol/identity/index.ts';
import {
  budgetProblems,
  DEFAULT_TASK_QUEUE,
  given,
  RUN_MODES,
  type ApprovalRule,
  type Budget,
  type RunMode,
  parseRules,
} from '../protocol/index.ts';
import { unmeetable } from '../workflows/run/index.ts';
import type { PlanwrightConfig } from './define-config.ts';
import { ConfigError, importDefault } from './import-config.ts';
import { EncryptionSchema, type Encryption } from './read-encryption.ts';
import { IdentitySchema, readIdentity } from './read-identity.ts';
import { McpSchema } from './read-mcp.ts';
import { StoreSchema, storeOf } from './read-store.ts';
import {
  ModelSchema,
  modelProblems,
  PlannerSchema,
  priceProblems,
  readPlanner,
  strict,
  type ReadPlanner,
} from './read-models.ts';

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
  /** How a goal is run whose run does not say it. */
  readonly mode?: RunMode;
  readonly policy?: LoopPolicy;
  /** The folders where files of plans may be; `base` is the folder of the config. */
  readonly files: { readonly base: string; readonly folders?: readonly string[] };
  /** The text that names the result store. @throws ConfigError where the environment does not have what it names */
  readonly store: () => string;
  /** The project has the capabilities of `draftCapabilities`. */
  readonly conversation: boolean;
  readonly taskQueue: string;
  /** The identity with the PEM texts of the keys, each of them read and checked. */
  readonly identity?: IdentityConfig;
  /** The variables of its keys; `encryptionKeys` reads them. */
  readonly encryption?: Encryption;
  /** The most that each run may spend. */
  readonly budget?: Budget;
  /** The servers of MCP as they were written; `withMcpSecrets` reads the environment. */
  readonly mcp?: NonNullable<PlanwrightConfig['mcp']>;
  /** Approval rules of every run; at least one. */
  readonly rules?: readonly ApprovalRule[];
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

const ConfigSchema = strict({
  capabilities: z.array(CapabilitySchema).optional(),
  agents: z.array(AgentSchema).optional(),
  tasks: strict({ default: z.string().optional() }).optional(),
  model: ModelSchema.optional(),
  planner: PlannerSchema.optional(),
  mode: z.enum(RUN_MODES, `expected one of ${RUN_MODES.join(', ')}`).optional(),
  policy: PolicySchema.optional(),
  conversation: z.boolean().optional(),
  results: StoreSchema.optional(),
  files: strict({ folders: z.array(z.string().min(1)).optional() }).optional(),
  mcp: McpSchema.optional(),
  taskQueue: z.string().min(1).max(200).optional(),
  identity: IdentitySchema.optional(),
  encryption: EncryptionSchema.optional(),
  budget: z.custom<Budget>().optional(),
  approval: strict({ rules: z.array(z.unknown()) }).optional(),
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
  const checked = ConfigSchema.safeParse(config);
  if (!checked.success) {
    throw misfit(
      file,
      checked.error.issues.map((issue) => `${['config', ...issue.path].join('.')}: ${issue.message}`),
    );
  }
  const { capabilities = [], agents = [], tasks, model, planner = {}, policy, results, files } = checked.data;
  const { taskQueue, identity, approval, conversation = false, budget, encryption, mode, mcp } = checked.data;
  const read = identity === undefined ? undefined : readIdentity(identity, dirname(file));
  const problems = [
    ...(read?.ok === false ? read.problems : []),
    ...modelProblems({ model, planner: planner.model, agents }),
    ...(budget === undefined ? [] : budgetProblems(budget, 'config.budget')),
    ...(budget?.money === undefined ? [] : priceProblems({ model, planner: planner.model, agents })),
  ];
  const rules = approval && parseRules(approval.rules, 'config.approval.rules', problems);
  const unmet = rules && unmeetable(rules, read?.ok === true ? read.identity.keys : undefined);
  if (unmet !== undefined && read?.ok !== false) problems.push(`config.approval.rules: ${unmet}`);
  if (problems.length > 0) throw misfit(file, problems);
  return given({
    ...{ file, capabilities, agents, defaultExecutor: tasks?.default, model, planner: readPlanner(planner), policy },
    files: given({ base: dirname(file), folders: files?.folders }),
    store: () => storeOf(dirname(file), results, file),
    conversation,
    taskQueue: taskQueue ?? DEFAULT_TASK_QUEUE,
    identity: read?.ok === true ? read.identity : undefined,
    rules,
    budget,
    encryption,
    mode,
    mcp: mcp as PlanwrightConfig['mcp'],
  });
}

function misfit(file: string, problems: readonly string[]): ConfigError {
  return new ConfigError(`${file} does not fit:\n  ${problems.join('\n  ')}`);
}
