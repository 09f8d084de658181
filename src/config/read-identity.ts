/** The keys of a configuration: their shape, their files, and whether each of them is a key. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import {
  isName,
  readPublicJwk,
  readPublicKey,
  type IdentityConfig,
  type IdentityKey,
} from '../protocol/identity/index.ts';
import { given } from '../protocol/index.ts';
import type { ConfiguredKey } from './define-config.ts';
import { strict } from './read-models.ts';

export const IdentitySchema = strict({
  keys: z
    .record(name(), keySchema())
    .refine((keys) => Object.keys(keys).length > 0, 'expected at least one key; with none nobody could speak to a run'),
});

type ConfiguredIdentity = z.output<typeof IdentitySchema>;

export type ReadIdentity =
  | { readonly ok: true; readonly identity: IdentityConfig }
  /** Each begins with the place in the config. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads the keys of a config that lies in `folder`. */
export function readIdentity({ keys }: ConfiguredIdentity, folder: string): ReadIdentity {
  const problems: string[] = [];
  const read: Record<string, IdentityKey> = {};
  const owners = new Map<string, string>();
  for (const [kid, { publicKey, subject, roles, person }] of Object.entries(keys)) {
    const pem = readKey(publicKey, folder);
    const owner = pem.ok ? owners.get(pem.text) : undefined;
    if (!pem.ok) problems.push(`config.identity.keys.${kid}.publicKey: ${pem.reason}`);
    else if (person === true && subject === undefined) {
      problems.push(
        `config.identity.keys.${kid}.person: a person's key speaks for one person; name them as its subject`,
      );
    } else if (owner !== undefined) {
      // The holder of the key could speak as either, so that the narrower of the two would mean nothing.
      problems.push(`config.identity.keys.${kid}.publicKey: the same key as ${owner}; give every key one name`);
    } else {
      owners.set(pem.text, kid);
      read[kid] = given({ publicKey: pem.text, subject, roles, person });
    }
  }
  return problems.length === 0 ? { ok: true, identity: { keys: read } } : { ok: false, problems };
}

type ReadText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

function readKey(publicKey: ConfiguredKey['publicKey'], folder: string): ReadText {
  const file = isFile(publicKey) ? publicKey.file : undefined;
  const source = isFile(publicKey) ? readKeyFile(publicKey.file, folder) : ({ ok: true, text: publicKey } as const);
  if (!source.ok) return source;
  const read = typeof source.text === 'string' ? readPublicKey(source.text) : readPublicJwk(source.text);
  if (read.ok) return { ok: true, text: read.pem };
  return { ok: false, reason: file === undefined ? read.reason : `${file}: ${read.reason}` };
}

function isFile(publicKey: ConfiguredKey['publicKey']): publicKey is { readonly file: string } {
  return typeof publicKey === 'object' && 'file' in publicKey;
}

function readKeyFile(file: string, folder: string): ReadText & { readonly text?: string } {
  const path = resolve(folder, file);
  try {
    return { ok: true, text: readFileSync(path, 'utf8') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
    return { ok: false, reason: `${path}: ${problem}; keys are looked for from the folder of the config file` };
  }
}

function keySchema() {
  const file = strict({ file: z.string().min(1) });
  const jwk = z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() });
  return strict({
    publicKey: z.union(
      [z.string(), file, jwk],
      'expected the PEM text of a public key, { file: "path/of/it.pem" }, or the JWK of an Ed25519 key, { kty: "OKP", crv: "Ed25519", x }',
    ),
    subject: name().optional(),
    roles: z.array(name()).optional(),
    person: z.literal(true).optional(),
  });
}

function name() {
  return z.string().refine(isName, 'expected a name: one line of at most 200 characters, without space at its ends');
}
