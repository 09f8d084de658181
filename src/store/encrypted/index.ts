/** Stores of which nothing stands in clear. */

export { encryptedStore } from './encrypted-store.ts';
export { isEncrypted } from './store-key.ts';
