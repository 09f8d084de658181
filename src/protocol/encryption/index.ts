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
