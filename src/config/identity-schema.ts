import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isName, readPublicJwk, readPublicKey } from '../protocol/identity/index.ts';
import { strict } from './secrets.ts';

const A_NAME = 'expected a name: one line of at most 200 characters, without space at its ends';
const A_KEY =
  'expected the PEM text of a public key, { file: "path/of/it.pem" }, or the JWK of an Ed25519 key, { kty: "OKP", crv: "Ed25519", x }';
const NO_KEYS = 'expected at least one key; with none nobody could speak to a run';
const NOBODY = "a person's key speaks for one person; name them as its subject";

const name = z.string(A_NAME).refine(isName, A_NAME);
const publicKey = z.union(
  [
    z.string(),
    strict({ file: z.string().min(1) }).readonly(),
    /** An Ed25519 public key as a JSON Web Key (RFC 8037): what `crypto.subtle.exportKey('jwk', publicKey)` gives. */
    z.looseObject({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      /** The 32 bytes, base64url. */
      x: z.string(),
    }),
  ],
  A_KEY,
);

/** The schema of `identity`. It converts each key to PEM. @param folder that relative paths of key files start from */
export function identitySchema(folder: string) {
  const publicPart = {
    /**
     * An Ed25519 public key: its PEM text, the file that has it (relative to the config file), or its JWK, as WebCrypto
     * exports it. Never a private key.
     */
    publicKey: publicKey.transform((written, context): string => {
      const read = readKey(written, folder);
      if (read.ok) return read.pem;
      context.addIssue({ code: 'custom', message: read.reason });
      return z.NEVER;
    }),
  };
  const key = strict({
    ...publicPart,
    /** The only person for whom the key signs. A key without it is an authority that may name any person. */
    subject: name.optional(),
    /** The roles that the key may claim. Default: none for a key with a subject, any for an authority. */
    roles: z.array(name).readonly().optional(),
    /**
     * The key belongs to a person: its private part is locked with a passphrase typed at a terminal, or cannot leave a
     * browser. Approval rules with `person: true` count only such keys. Needs a `subject`.
     */
    person: z.literal(true).optional(),
  })
    .refine(({ person, subject }) => person === undefined || subject !== undefined, { path: ['person'], error: NOBODY })
    .readonly();
  return strict({
    /** The keys by id, at least one. The header of a signed token has the id as `kid`. */
    keys: z
      .record(name, key)
      .refine((keys) => Object.keys(keys).length > 0, NO_KEYS)
      .readonly(),
    /** The keys with which workers sign receipts, by name (docs/receipts.md). Runs accept no messages with these. */
    receiptKeys: z.record(name, strict(publicPart).readonly()).readonly().optional(),
  })
    .superRefine(({ keys, receiptKeys = {} }, context) => {
      // If one key had two entries, its owner could use the less strict entry.
      const owners = new Map<string, string>();
      for (const [part, entries] of Object.entries({ keys, receiptKeys })) {
        for (const [kid, { publicKey: pem }] of Object.entries(entries)) {
          const message = `the same key as ${owners.get(pem)}; give every key one name`;
          if (owners.has(pem)) context.addIssue({ code: 'custom', path: [part, kid, 'publicKey'], message });
          else owners.set(pem, kid);
        }
      }
    })
    .readonly();
}

type Read = { readonly ok: true; readonly pem: string } | { readonly ok: false; readonly reason: string };

function readKey(written: z.output<typeof publicKey>, folder: string): Read {
  if (typeof written === 'string') return readPublicKey(written);
  if (!isFile(written)) return readPublicJwk(written);
  const path = resolve(folder, written.file);
  try {
    const read = readPublicKey(readFileSync(path, 'utf8'));
    return read.ok ? read : { ok: false, reason: `${written.file}: ${read.reason}` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
    return { ok: false, reason: `${path}: ${problem}; keys are looked for from the folder of the config file` };
  }
}

function isFile(written: object): written is { readonly file: string } {
  return 'file' in written;
}
