export type { PublicKey, PublicKeys } from '../index.ts';
export {
  IdentityError,
  createKeyPair,
  createLockedKeyPair,
  publicKeyOf,
  unlockKey,
  type KeyPair,
  isLocked,
} from './key-pair.ts';
export {
  type IdentityConfig,
  type IdentityKey,
  createVerifier,
  publicKeysOf,
  type Verifier,
  readPublicJwk,
  readPublicKey,
  type ReadPublicKey,
} from './verifier.ts';
export {
  isName,
  LEEWAY_SECONDS,
  LONGEST_LIFE_SECONDS,
  messageClaimedBy,
  MAX_TOKEN_CHARACTERS,
  verifyToken,
  type RefusedToken,
  type TokenFacts,
  type VerifiedToken,
} from './token/index.ts';
export { signMessage, type MessageToSign } from './sign-message.ts';
export {
  makeStatement,
  RECEIPT_PARTS,
  receiptSigner,
  sealReceipt,
  verifyReceipt,
  type Envelope,
  type ReceiptView,
  type Statement,
  type VerifiedReceipt,
} from './receipt.ts';
