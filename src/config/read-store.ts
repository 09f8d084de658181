/** The result store of a configuration: its shape, and the text that names it. */

import { z } from 'zod';
import { isRemoteStore, s3Text, storeText } from '../store/index.ts';
import type { ConfiguredStore } from './define-config.ts';
import { ConfigError } from './import-config.ts';
import { strict } from './read-models.ts';

/** An address is not shown where it does not fit: it may hold a secret. */
const A_URL =
  "expected postgres://user@host/database without a password, or { env: 'NAME' } that names the variable which has it";
const A_BUCKET = 'expected the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens';
const AN_ENDPOINT = 'expected http(s)://host[:port]';

const url = z
  .union([z.string(), strict({ env: z.string().regex(/^[A-Za-z_]\w*$/) })], A_URL)
  .refine((value) => typeof value !== 'string' || isBare(value), A_URL);

const CREDENTIALS =
  'credentials do not belong into a config, which is committed and shown: the AWS SDK finds them in the environment ' +
  '(AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY), a profile or a role; take them out here, and make new ones if this file was ever committed';

const bucket = strict(
  {
    bucket: z.string(A_BUCKET).regex(/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/, A_BUCKET),
    prefix: z.string().optional(),
    region: z.string().min(1).optional(),
    endpoint: z
      .string(AN_ENDPOINT)
      .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), AN_ENDPOINT)
      .optional(),
    pathStyle: z.boolean().optional(),
  },
  CREDENTIALS,
);

const settings = strict({ dir: z.string().min(1).optional(), postgres: url.optional(), s3: bucket.optional() });

/** Several stores at once would be a question which of them has a result. */
export const StoreSchema = settings.transform((value, context): ConfiguredStore => {
  const named = Object.entries(value).flatMap(([name, one]) => (one === undefined ? [] : [name]));
  if (named.length <= 1) return value as ConfiguredStore;
  context.addIssue({ code: 'custom', message: `expected one store, got ${named.join(' and ')}` });
  return z.NEVER;
});

function isBare(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, password, searchParams } = new URL(value);
  return /^postgres(?:ql)?:$/.test(protocol) && password === '' && !searchParams.has('password');
}

/**
 * The text that `openStore` reads: of what is configured, else PLANWRIGHT_STORE, else `.planwright/results` in `base`.
 * @param file for messages
 * @throws ConfigError where the environment does not have the variable that is named
 */
export function storeOf(base: string, configured: ConfiguredStore = {}, file = 'the config'): string {
  if ('s3' in configured) return s3Text(configured.s3);
  if ('postgres' in configured) return urlOf(configured.postgres, file);
  return storeText(configured.dir ?? process.env['PLANWRIGHT_STORE'] ?? '.planwright/results', base);
}

function urlOf(value: string | { readonly env: string }, file: string): string {
  if (typeof value === 'string') return value;
  const found = process.env[value.env];
  const at = `${file}: config.results.postgres`;
  if (!found) throw new ConfigError(`${at}: the environment has no ${value.env}; set it where clients and workers run`);
  if (/^postgres(?:ql)?:\/\//.test(found) && isRemoteStore(found)) return found;
  throw new ConfigError(`${at}: ${value.env} holds no postgres:// URL`);
}
