/** The key of a model's server, which only the environment tells. */

import type { ServerSettings } from './model-settings.ts';

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
