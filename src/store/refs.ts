/** References to stored bytes: their SHA-256 as 43 characters of base64url. */

import { hash } from 'node:crypto';
import { quote } from '../plan/text/index.ts';
import { StoreError } from './store.ts';

const BASE64URL = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const HEX = /^[0-9a-fA-F]{64}$/;

export function sha256(bytes: Uint8Array | string): Buffer {
  return hash('sha256', bytes, 'buffer');
}

/**
 * The reference of bytes: their SHA-256 in base64url.
 * @example refOfBytes(new Uint8Array()); // '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'
 */
export function refOfBytes(bytes: Uint8Array): string {
  return sha256(bytes).toString('base64url');
}

/**
 * The reference for a SHA-256 in 64 hex digits.
 * @example await store.get(refOfDigest(plan.digest)); // the canonical bytes of a plan that has run
 */
export function refOfDigest(hex: string): string {
  if (!HEX.test(hex)) throw new StoreError('invalid-ref', invalidRef('digest', hex, '64 hex digits'));
  return Buffer.from(hex, 'hex').toString('base64url');
}

/**
 * The SHA-256 of a reference, as 64 lower-case hex digits.
 * @example digestOfRef((await run.view(['plan'])).plan.ref); // the digest that was approved
 */
export function digestOfRef(ref: string): string {
  return Buffer.from(normalRef(ref), 'base64url').toString('hex');
}

/** Turns a reference or a digest into a reference. @throws StoreError `invalid-ref` for anything else */
export function normalRef(ref: string): string {
  if (BASE64URL.test(ref)) return ref;
  if (HEX.test(ref)) return refOfDigest(ref);
  throw new StoreError('invalid-ref', invalidRef('reference', ref, '43 characters of base64url or 64 hex digits'));
}

function invalidRef(what: string, got: string, expected: string): string {
  return `${quote(got)} is no ${what}: expected ${expected}, as a handle or a plan digest has them. Copy it whole.`;
}
