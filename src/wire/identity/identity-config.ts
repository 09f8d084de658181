/** The people who may speak to the runs of a project: public keys, and the names and roles that each may give. */

export interface IdentityKey {
  /** PEM text of an Ed25519 public key (SPKI: `-----BEGIN PUBLIC KEY-----`). */
  readonly publicKey: string;
  /** The one person the key speaks for. A key without it is an authority, whose word on who speaks is believed. */
  readonly subject?: string;
  /** The roles the key may name. Without it a key with a subject may name none, and an authority any. */
  readonly roles?: readonly string[];
}

/** The people who may speak to the runs of a project, by the keys that they sign with. */
export interface IdentityConfig {
  /** The keys by the name that a token's header gives in `kid`. With one key only, a token may leave it out. */
  readonly keys: { readonly [kid: string]: IdentityKey };
}
