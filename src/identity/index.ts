export { IdentityError } from './identity-error.ts';
export { isName, type IdentityConfig, type IdentityKey } from './identity-config.ts';
export { createKeyPair, publicKeyOf, type KeyPair } from './key-pair.ts';
export { LEEWAY_SECONDS, LONGEST_LIFE_SECONDS, MAX_TOKEN_CHARACTERS } from './limits.ts';
export { readPublicKey, type ReadPublicKey } from './public-key.ts';
export { signMessage, type MessageToSign } from './sign-message.ts';
export { createVerifier, type RefusedMessage, type VerifiedMessage, type Verifier } from './verifier.ts';
