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
import { unsatisfiable } from '../workflows/run/index.ts';
import { ConfigError, importDefault } from './import-config.ts';
import { modelProblems, type PlannerConfig, type ServerSettings } from './model-schema.ts';
import {
  configSchema,
  type PlanwrightConfig,
  type ConfiguredMcp,
  type ConfiguredStore,
  type Encryption,
} from './schema.ts';
import type { McpServerSettings } from '../capabilities/builtin/index.ts';
import type { OpenAISettings, WireValue } from '../models/index.ts';
import { keyProblem, type EncryptionKeys } from '../protocol/encryption/index.ts';
import { isRemoteStore, s3Text, storeText } from '../store/index.ts';
import type { ReceiverSettings } from './notify/schema.ts';
import type { ConfiguredValue, ConfiguredValues } from './secrets.ts';

/**
 * Keys that are not resolved while loading: `modelSettings` combines models later, and some values are in the
 * environment.
 */
type AsWritten = Pick<PlanwrightConfig, 'model' | 'mode' | 'policy' | 'encryption' | 'budget' | 'mcp'>;

export interface LoadedConfig extends Given<AsWritten> {
  readonly file: string;
  readonly capabilities: readonly Capability[];
  readonly agents: readonly Agent[];
  readonly defaultExecutor?: string;
  readonly planner: PlannerConfig & { readonly format: NonNullable<PlannerConfig['format']> };
  readonly files: { readonly base: string; readonly folders?: readonly string[]; readonly untrusted?: boolean };
  /** The text that names the result store. @throws ConfigError if a variable that it names is missing */
  readonly store: () => string;
  readonly conversation: boolean;
  readonly taskQueue: string;
  /** The keys, checked, as PEM texts. */
  readonly identity?: IdentityConfig;
  /** Receivers of notifications. Their programs start in `folder`, which is that of the config. */
  readonly notify?: { readonly folder: string; readonly entries: readonly ReceiverSettings[] };
  /** The private key for receipts, as text. @throws ConfigError if its file cannot be read */
  readonly receipts?: () => string;
  readonly rules?: readonly ApprovalRule[];
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

/** Whether the text of a config contains `encryption`. Importing the config would take half a second and may fail. */
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
  const {
    capabilities = [],
    agents = [],
    tasks,
    planner,
    results,
    files,
    identity,
    approval,
    notify,
    receipts,
    ...more
  } = checked.data;
  const { taskQueue = DEFAULT_TASK_QUEUE, conversation = false, budget, model } = more;
  const problems = [
    ...modelProblems({ model, planner, agents }, budget?.money !== undefined),
    ...(budget === undefined ? [] : budgetProblems(budget, 'config.budget')),
  ];
  const rules = approval && parseRules(approval.rules, 'config.approval.rules', problems);
  const unmet = rules && unsatisfiable(rules, (identity as IdentityConfig | undefined)?.keys);
  if (unmet !== undefined) problems.push(`config.approval.rules: ${unmet}`);
  if (receipts !== undefined && identity?.receiptKeys === undefined)
    problems.push(`config.receipts: ${NO_RECEIPT_KEYS}`);
  const open = more.encryption === undefined ? undefined : notify?.find(({ content }) => content === true);
  if (open !== undefined) problems.push(`config.notify: ${open.name} has content: true; ${NO_CONTENT}`);
  if (problems.length > 0) throw misfit(file, problems);
  return given({
    ...{ ...more, file, capabilities, agents, defaultExecutor: tasks?.default, taskQueue, conversation, rules },
    planner: { ...given({ ...planner }), format: planner?.format ?? 'nodes' },
    files: given({ ...files, base }),
    store: () => storeOf(base, results, file),
    identity: identity as IdentityConfig | undefined,
    receipts: receipts && (() => receiptKey(resolve(base, receipts.key))),
    notify: notify && { folder: base, entries: notify },
  });
}

const NO_RECEIPT_KEYS =
  'expected the public part of its key in identity.receiptKeys, by which receipts are verified (docs/receipts.md)';

function receiptKey(file: string): string {
  if (existsSync(file)) return readFileSync(file, 'utf8');
  throw new ConfigError(`config.receipts.key: there is no file ${file}; give this worker the key of the others`);
}

const NO_CONTENT = 'with encryption messages have ids, counts and keys only, so leave it out';

function misfit(file: string, problems: readonly string[]): ConfigError {
  return new ConfigError(`${file} does not fit:\n  ${problems.join('\n  ')}`);
}

/**
 * The API key for a server. `PLANWRIGHT_MODEL_KEY` is for any server. `OPENAI_API_KEY` is sent to OpenAI only: the
 * owner of another server (`baseURL`) would get it.
 * @returns undefined if there is none, as for a local server
 */
export function modelKey(
  { baseURL }: Pick<ServerSettings, 'baseURL'>,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const { PLANWRIGHT_MODEL_KEY: own, OPENAI_API_KEY: openai } = environment;
  // An empty variable counts as unset.
  return own || (baseURL === undefined ? openai || undefined : undefined);
}

/**
 * The model settings, with the values of the named environment variables.
 * @throws TypeError that names the setting and the missing variable
 */
export function withSecrets(
  { headers, query, ...settings }: ServerSettings,
  environment: NodeJS.ProcessEnv = process.env,
): OpenAISettings {
  const hidden = (text: string, value: ConfiguredValue): WireValue =>
    typeof value === 'string' ? text : { secret: text };
  const valuesOf = (field: string, values?: ConfiguredValues) =>
    values && valuesIn(`model.${field}`, values, environment, hidden);
  const all = { ...settings, headers: valuesOf('headers', headers), query: valuesOf('query', query) };
  return given(all) as OpenAISettings;
}

/** The MCP servers to open, and their secret values, which must not be in any message. */
interface OpenableMcp {
  readonly servers: { readonly [name: string]: McpServerSettings };
  readonly secrets: readonly string[];
}

/**
 * The MCP servers, with the values of the named environment variables.
 * @throws TypeError that names the setting and the missing variable
 */
export function withMcpSecrets(servers: ConfiguredMcp, environment: NodeJS.ProcessEnv = process.env): OpenableMcp {
  const secrets: string[] = [];
  const checked = (text: string, value: ConfiguredValue) => {
    if (typeof value !== 'string') secrets.push(text);
    return text;
  };
  const opened = Object.entries(servers).map(([name, { env, headers, ...server }]) => {
    const valuesOf = (field: string, values?: ConfiguredValues) =>
      values && valuesIn(`mcp.${name}.${field}`, values, environment, checked);
    return [name, given({ ...server, env: valuesOf('env', env), headers: valuesOf('headers', headers) })] as const;
  });
  // The schema has checked that each server has either a command or an address, so the cast is safe.
  return { servers: Object.fromEntries(opened) as OpenableMcp['servers'], secrets };
}

function valuesIn<Value>(
  place: string,
  values: ConfiguredValues,
  environment: NodeJS.ProcessEnv,
  convert: (text: string, value: ConfiguredValue) => Value,
): Record<string, Value> {
  const read = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : environment[value.env];
    if (text || typeof value === 'string') return [name, convert(text ?? '', value)] as const;
    throw new TypeError(`${place}.${name}: the environment has no ${value.env}; set it where the worker runs`);
  });
  return Object.fromEntries(read);
}

export interface ReadKeys extends EncryptionKeys {
  /** Encryption keys that are missing in the environment, so that their data cannot be read here. */
  readonly missing: readonly { readonly id: string; readonly env: string }[];
}

/**
 * Reads the encryption keys from the environment.
 * @throws ConfigError that names the id and the variable if the current key is missing, or a key is invalid
 */
export function encryptionKeys({ keys, current }: Encryption, environment: NodeJS.ProcessEnv = process.env): ReadKeys {
  const found: Record<string, string> = {};
  const missing: { id: string; env: string }[] = [];
  const problems: string[] = [];
  for (const [id, { env }] of Object.entries(keys)) {
    const text = environment[env];
    if (text) {
      found[id] = text;
      problems.push(...[keyProblem(id, text) ?? []].flat());
    } else {
      missing.push({ id, env });
      const next = 'set it in this shell, as workers and clients have it';
      if (id === current) problems.push(`key ${id}: the environment has no ${env}; ${next}`);
    }
  }
  if (problems.length > 0) throw new ConfigError(`config.encryption: ${problems.join('; ')}`);
  return { keys: found, current, missing };
}

/**
 * The text that names the result store: from the config, or PLANWRIGHT_STORE, or `.planwright/results` in `base`.
 * @param file for messages
 * @throws ConfigError if a variable is missing
 */
export function storeOf(base: string, { dir, postgres, s3 }: ConfiguredStore = {}, file = 'the config'): string {
  if (s3 !== undefined) return s3Text(given(s3));
  if (postgres === undefined) return storeText(dir ?? process.env['PLANWRIGHT_STORE'] ?? '.planwright/results', base);
  if (typeof postgres === 'string') return postgres;
  const { env } = postgres;
  const found = process.env[env];
  const at = `${file}: config.results.postgres`;
  if (!found) throw new ConfigError(`${at}: the environment has no ${env}; set it where clients and workers run`);
  if (/^postgres(?:ql)?:\/\//.test(found) && isRemoteStore(found)) return found;
  throw new ConfigError(`${at}: ${env} holds no postgres:// URL`);
}
