/** Who may speak to the runs of a project: public keys, and what each of them may say it is. */

import { MAX_NAME_CHARACTERS } from './limits.ts';

export interface IdentityKey {
  /** PEM text of an Ed25519 public key (SPKI: `-----BEGIN PUBLIC KEY-----`). */
  readonly publicKey: string;
  /** The one person the key speaks for. A key without it is an authority, whose word on who speaks is believed. */
  readonly subject?: string;
  /** The roles the key may name. Without it a key with a subject may name none, and an authority any. */
  readonly roles?: readonly string[];
}

export interface IdentityConfig {
  /** By the name that a token's header gives in `kid`. With one key only, a token may leave it out. */
  readonly keys: { readonly [kid: string]: IdentityKey };
}

/** A name of a person, a role or a key: one line of at most 200 characters, without space at its ends. */
export function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_NAME_CHARACTERS &&
    value.trim() === value &&
    !UNPRINTABLE.test(value)
  );
}

/** Control characters, separators of lines, half characters, and marks that turn the direction of the text around them. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u{61C}\u{200E}\u{200F}\u{202A}-\u{202E}\u{2066}-\u{2069}]/u;
