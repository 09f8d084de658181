/** Rejects secrets in configs, which people commit and share. A config names variables instead. */

import { z } from 'zod';
import { didYouMean } from '../plan/index.ts';
import { SECRET_NAME } from '../models/index.ts';

export type ConfiguredValue = string | { readonly env: string };
export interface ConfiguredValues {
  readonly [name: string]: ConfiguredValue;
}

const VARIABLE = /^[A-Za-z_]\w*$/;
const SECRET_VALUE = /^(?:sk|pk|rk)-|^(?:bearer|basic) /i;
/** Names of body members that contain secrets. `key` alone is not among them, because of `prompt_cache_key`. */
const SECRET_MEMBER = /^(?:api[-_]?key|password|authorization|.*secret.*|(?:(?:access|auth|api)[-_]?)?token)$/i;
const KEYS_ARE_SECRET =
  'an API key does not belong into a config, which is committed and shown; set PLANWRIGHT_MODEL_KEY in the environment ' +
  "(or OPENAI_API_KEY, for OpenAI's own server), take it out here, and make a new key if this file was ever committed";
const BY_NAME =
  "would stand in the config, which is committed and shown; give { env: 'NAME' } in its place, and set that variable " +
  'where the worker runs';

/**
 * The schema of an object without other keys. Its error names the nearest known key.
 * @param secrets the error for a key whose name suggests a secret
 */
export function strict<Shape extends z.ZodRawShape>(shape: Shape, secrets = KEYS_ARE_SECRET) {
  return z.strictObject(shape, {
    error({ code, keys }) {
      if (code !== 'unrecognized_keys') return undefined;
      const unknown = (keys as readonly unknown[]).map(String);
      if (unknown.some((key) => SECRET_NAME.test(key))) return secrets;
      const known = Object.keys(shape);
      const [hint = ''] = unknown.map((key) => didYouMean(key, known)).filter((text) => text !== '');
      return `there is no ${unknown.join(', ')}; known are ${known.join(', ')}${hint && `.${hint}`}`;
    },
  });
}

export function variableName(error: string) {
  return z.string(error).regex(VARIABLE, error);
}

export function variable(error: string) {
  return z.strictObject({ env: variableName(error) }, error).readonly();
}

export function isVariable(value: unknown): boolean {
  return variable('').safeParse(value).success;
}

/** Rejects secret values, without quoting them. */
export function refuseSecrets(values: unknown, context: z.core.$RefinementCtx): void {
  for (const [name, value] of Object.entries(values ?? {})) {
    if (typeof value === 'string' && (SECRET_NAME.test(name) || SECRET_VALUE.test(value)))
      context.addIssue({ code: 'custom', message: `the value of ${name} ${BY_NAME}` });
  }
}

/** Rejects members of a request body that contain secrets, since a body cannot name variables. */
export function refuseSecretMembers(body: unknown, context: z.core.$RefinementCtx): void {
  const name = Object.keys(body ?? {}).find((member) => SECRET_MEMBER.test(member));
  if (name !== undefined) context.addIssue({ code: 'custom', message: `${name}: ${KEYS_ARE_SECRET}` });
}
