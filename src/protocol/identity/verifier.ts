/** The people who may send messages to the runs of a project. Tokens are verified exactly as a run verifies them. */

import { DEFAULT_NAMESPACE } from '../names.ts';
import type { PublicKeys } from '../project.ts';
import { readPublicKey } from './public-key.ts';
import { verifyToken, type VerifiedToken } from './token/index.ts';

/** A public key, with the names and roles that its signatures may claim. */
export interface IdentityKey {
  /** PEM text of an Ed25519 public key (SPKI: `-----BEGIN PUBLIC KEY-----`). */
  readonly publicKey: string;
  /** The only person for whom the key signs. Default: the key is an authority that may name any sender. */
  readonly subject?: string;
  /** The roles that the key may claim. Default: none for a key with a subject, any for an authority. */
  readonly roles?: readonly string[];
  /** Whether the key is a person's, as the project declares. Rules with `person: true` count only keys of people. */
  readonly person?: true;
}

/** The people who may send messages to the runs of a project, by their keys. */
export interface IdentityConfig {
  /** The keys by the `kid` in a token's header. If there is only one key, a token may omit `kid`. */
  readonly keys: { readonly [kid: string]: IdentityKey };
  /** The keys with which workers sign receipts, by name. Runs accept no messages signed with them. */
  readonly receiptKeys?: { readonly [keyid: string]: Pick<IdentityKey, 'publicKey'> };
}

/** Verifies tokens with the keys of a configuration, exactly as a run does. */
export interface Verifier {
  /**
   * Verifies a token that was sent to the run `workflowId`. Never throws.
   * @param startedAt when the run began; a token that was signed earlier was for an earlier run of the same id
   */
  verify(token: unknown, workflowId: string, now?: Date, startedAt?: Date): VerifiedToken;
}

/**
 * Makes a verifier for tokens that people send to runs.
 * @param namespace the namespace of these runs
 * @throws TypeError if there is no key, or if one is not an Ed25519 public key. `loadConfig` finds both earlier.
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
 * The keys of a project in the form that runs use. @throws TypeError in the same cases as `createVerifier`
 * @example publicKeysOf({ keys: { operator: { publicKey, subject: 'operator' } } }); // with x in place of publicKey
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
