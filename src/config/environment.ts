/** What a config names and the environment provides: keys, values of variables, the result store. */

import type { McpServerSettings } from '../capabilities/builtin/index.ts';
import type { OpenAISettings, WireValue } from '../models/index.ts';
import { keyProblem, type EncryptionKeys } from '../protocol/encryption/index.ts';
import { given } from '../protocol/index.ts';
import { isRemoteStore, s3Text, storeText } from '../store/index.ts';
import { ConfigError } from './import-config.ts';
import type { ServerSettings } from './model-schema.ts';
import type { ConfiguredMcp, ConfiguredStore, Encryption } from './schema.ts';
import type { ConfiguredValue, ConfiguredValues } from './secrets.ts';

/**
 * `PLANWRIGHT_MODEL_KEY` is for any configured server. `OPENAI_API_KEY` goes only to OpenAI, never to a `baseURL`,
 * whose owner would get the key.
 * @returns undefined without one, for example for a local server
 */
export function modelKey(
  { baseURL }: Pick<ServerSettings, 'baseURL'>,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const { PLANWRIGHT_MODEL_KEY: own, OPENAI_API_KEY: openai } = environment;
  // Shells unset a variable by setting it to nothing.
  return own || (baseURL === undefined ? openai || undefined : undefined);
}

/** Fills in the environment's values. @throws TypeError that names the setting and the missing variable */
export function withSecrets(
  { headers, query, ...settings }: ServerSettings,
  environment: NodeJS.ProcessEnv = process.env,
): OpenAISettings {
  const hidden = (text: string, value: ConfiguredValue): WireValue =>
    typeof value === 'string' ? text : { secret: text };
  const valuesOf = (field: string, values?: ConfiguredValues) =>
    values && valuesIn(`model.${field}`, values, environment, hidden);
  // Layers have no undefined fields.
  const all = { ...settings, headers: valuesOf('headers', headers), query: valuesOf('query', query) };
  return given(all) as OpenAISettings;
}

/** The servers to open, and the values that no message may contain. */
export interface OpenableMcp {
  readonly servers: { readonly [name: string]: McpServerSettings };
  readonly secrets: readonly string[];
}

/** Fills in the environment's values. @throws TypeError that names the setting and the missing variable */
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
  // The schema ensures either a command or an address.
  return { servers: Object.fromEntries(opened) as OpenableMcp['servers'], secrets };
}

function valuesIn<Value>(
  place: string,
  values: ConfiguredValues,
  environment: NodeJS.ProcessEnv,
  taken: (text: string, value: ConfiguredValue) => Value,
): Record<string, Value> {
  const read = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : environment[value.env];
    if (text || typeof value === 'string') return [name, taken(text ?? '', value)] as const;
    throw new TypeError(`${place}.${name}: the environment has no ${value.env}; set it where the worker runs`);
  });
  return Object.fromEntries(read);
}

export interface ReadKeys extends EncryptionKeys {
  /** Missing keys with their variables: this process cannot read what they encrypted. */
  readonly missing: readonly { readonly id: string; readonly env: string }[];
}

/**
 * The keys in the environment.
 * @throws ConfigError that names the id and the variable if the current key is missing, or one is invalid
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
 * The text for `openStore`: the configured store, else PLANWRIGHT_STORE, else `.planwright/results` in `base`.
 * @param file for messages
 * @throws ConfigError if a named variable is missing
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
