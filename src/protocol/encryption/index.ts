/** Encryption keys, and the codec that encrypts all data on its way to a Temporal server. */

export {
  EncryptionError,
  isKeyId,
  keyProblem,
  openKeyring,
  type EncryptionErrorCode,
  type EncryptionKey,
  type EncryptionKeys,
  type Keyring,
} from './keyring.ts';
export {
  encryptionCodec,
  OPEN,
  isEncrypting,
  keyIdOf,
  lenientCodec,
  sealingMark,
  whyEncrypted,
  type EncryptionCodec,
} from './payload-codec.ts';
