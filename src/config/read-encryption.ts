/** The encryption of a configuration: its shape, and its keys, which only the environment tells. */

import { z } from 'zod';
import { isKeyId, keyProblem, type EncryptionKeys } from '../protocol/encryption/index.ts';
import type { PlanwrightConfig } from './define-config.ts';
import { ConfigError } from './import-config.ts';
import { strict } from './read-models.ts';

/** The encryption of a project as its config has it. */
export type Encryption = NonNullable<PlanwrightConfig['encryption']>;

const NOT_HERE =
  "expected the variable of the environment that has the key: { env: 'PLANWRIGHT_KEY_1' }. A key does not belong into a config, " +
  'which is committed and shown; make a new one if this file was ever committed';
const VARIABLE = /^[A-Za-z_]\w*$/;

const NO_ID = 'an id is 1 to 64 letters, digits, dots, hyphens and underscores';
const key = z.strictObject({ env: z.string(NOT_HERE).regex(VARIABLE, NOT_HERE) }, NOT_HERE);
const keys = z.record(z.string(), key).refine((all) => Object.keys(all).every(isKeyId), NO_ID);

export const EncryptionSchema = strict({ keys, current: z.string() }).refine(
  ({ keys: all, current }) => Object.hasOwn(all, current),
  { path: ['current'], error: 'expected the id of one of the keys: it encrypts' },
);

/** The keys of a process. */
export interface ReadKeys extends EncryptionKeys {
  /** Those that its environment lacks, with the variable of each: it does not read what they have encrypted. */
  readonly missing: readonly { readonly id: string; readonly env: string }[];
}

/**
 * The keys that the environment has.
 * @throws ConfigError that names the id and the variable where the current one is missing, or one is none
 */
export function encryptionKeys(
  { keys: variables, current }: Encryption,
  environment: NodeJS.ProcessEnv = process.env,
): ReadKeys {
  const named = Object.entries(variables).map(([name, { env }]) => ({ id: name, env, text: environment[env] ?? '' }));
  const there = named.filter(({ text }) => text !== '');
  const problems = there.flatMap((one) => keyProblem(one.id, one.text) ?? []);
  const lacking = named.find((one) => one.id === current && one.text === '');
  if (lacking !== undefined) {
    const { env } = lacking;
    problems.push(
      `key ${current}: the environment has no ${env}; set it in this shell, as workers and clients have it`,
    );
  }
  if (problems.length > 0) throw new ConfigError(`config.encryption: ${problems.join('; ')}`);
  return {
    keys: Object.fromEntries(there.map((one) => [one.id, one.text])),
    current,
    missing: named.flatMap(({ text, ...one }) => (text === '' ? [{ id: one.id, env: one.env }] : [])),
  };
}
