/** The secrets of a model's server, which only the environment tells. */

import type { OpenAISettings, WireValue } from '../models/index.ts';
import type { ConfiguredValue, ServerSettings } from './model-settings.ts';

/**
 * `PLANWRIGHT_MODEL_KEY` is for any server that is configured. `OPENAI_API_KEY` is sent to OpenAI alone, never to a
 * server that a `baseURL` names: the owner of that one would have the key.
 * @returns undefined where there is none, as for a local server
 */
export function modelKey(
  { baseURL }: Pick<ServerSettings, 'baseURL'>,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const { PLANWRIGHT_MODEL_KEY: own, OPENAI_API_KEY: openai } = environment;
  // A variable that is set to nothing is how a shell unsets one.
  return own || (baseURL === undefined ? openai || undefined : undefined);
}

/**
 * The settings with the values that the environment has.
 * @throws TypeError that names the setting and the variable where the environment has none
 */
export function withSecrets(
  { headers, query, ...settings }: ServerSettings,
  environment: NodeJS.ProcessEnv = process.env,
): OpenAISettings {
  const valuesOf = (setting: string, fields: Readonly<Record<string, ConfiguredValue>>) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]): [string, WireValue] => {
        const text = valueIn(`model.${setting}.${name}`, value, environment);
        return [name, typeof value === 'string' ? text : { secret: text }];
      }),
    );
  return {
    ...settings,
    ...(headers !== undefined && { headers: valuesOf('headers', headers) }),
    ...(query !== undefined && { query: valuesOf('query', query) }),
  };
}

/**
 * The text of a configured value.
 * @throws TypeError that names its place and the variable where the environment has none
 */
export function valueIn(place: string, value: ConfiguredValue, environment: NodeJS.ProcessEnv): string {
  if (typeof value === 'string') return value;
  const secret = environment[value.env];
  if (secret) return secret;
  throw new TypeError(`${place}: the environment has no ${value.env}; set it where the worker runs`);
}
