/** The people who may speak to the runs of a project, and who speaks: verified as a run does itself. */

import { DEFAULT_NAMESPACE } from '../names.ts';
import type { PublicKeys } from '../project.ts';
import { readPublicKey } from './public-key.ts';
import { verifyToken, type VerifiedToken } from './token/index.ts';

/** A public key, and the names and roles that it may give to the one who signs with it. */
export interface IdentityKey {
  /** PEM text of an Ed25519 public key (SPKI: `-----BEGIN PUBLIC KEY-----`). */
  readonly publicKey: string;
  /**
   * The only person for whom the key signs. Without it the key is an authority: the sender that it names is believed.
   */
  readonly subject?: string;
  /** The roles the key may name. Without it a key with a subject may name none, and an authority any. */
  readonly roles?: readonly string[];
  /**
   * A person's key: locked with a passphrase typed at a terminal, or in a browser. The project declares this; rules
   * with `person: true` count only such keys.
   */
  readonly person?: true;
}

/** The people who may speak to the runs of a project, by the keys that they sign with. */
export interface IdentityConfig {
  /** The keys by the `kid` of a token's header. With only one key a token may omit it. */
  readonly keys: { readonly [kid: string]: IdentityKey };
}

/** Checks tokens with the keys of a configuration, as a run does itself. */
export interface Verifier {
  /**
   * Checks a token that was sent to the run `workflowId`. Never throws. `now` is for tests; `startedAt` is when the run
   * began: a token that was signed before it was meant for an earlier run of the same id.
   */
  verify(token: unknown, workflowId: string, now?: Date, startedAt?: Date): VerifiedToken;
}

/**
 * Makes a verifier for tokens that people send to runs.
 * @param namespace of these runs
 * @throws TypeError without a key, or for one that is not an Ed25519 public key. `loadConfig` finds both earlier.
 * @example createVerifier({ keys: { ops: { publicKey } } }).verify(token, 'plan-1')
 */
export function createVerifier(identity: IdentityConfig, namespace = DEFAULT_NAMESPACE): Verifier {
  const keys = publicKeysOf(identity);
  return {
    verify: (token, workflowId, now = new Date(), startedAt = undefined) =>
      verifyToken(token, {
        keys,
        workflowId,
        namespace,
        at: now.toISOString(),
        ...(startedAt !== undefined && { startedAt: startedAt.toISOString() }),
      }),
  };
}

/**
 * The keys of a project in the form that its runs use.
 * @throws TypeError as `createVerifier` does
 * @example publicKeysOf({ keys: { operator: { publicKey, subject: 'operator' } } }); // the same, with x in place of publicKey
 */
export function publicKeysOf({ keys }: IdentityConfig): PublicKeys {
  const entries = Object.entries(keys).map(([kid, { publicKey, ...speaker }]) => {
    const read = readPublicKey(publicKey);
    if (!read.ok) throw new TypeError(`identity.keys.${kid}.publicKey: ${read.reason}`);
    const { x = '' } = read.key.export({ format: 'jwk' });
    return [kid, { x, ...speaker }] as const;
  });
  if (entries.length === 0)
    throw new TypeError('identity.keys: expected at least one key; without one nobody could speak');
  return Object.fromEntries(entries);
}
