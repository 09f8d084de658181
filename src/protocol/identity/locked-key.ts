/**
 * Locks a private key with a passphrase, like `openssl pkcs8 -topk8 -scrypt` (RFC 7914). Node itself uses 2,048 rounds
 * of PBKDF2, which an attacker can try a hundred times faster.
 */

import { createCipheriv, randomBytes, scrypt, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** The scrypt cost that OWASP recommends for 16 MiB of memory. OpenSSL accepts at most 32 MiB. */
const COST = { N: 16_384, r: 8, p: 5 };
const KEY_BYTES = 32;
const BLOCK_BYTES = 16;

/** Object identifiers in DER, as hex. */
const PBES2 = '2a864886f70d01050d';
const SCRYPT = '2b06010401da47040b';
const AES_256_CBC = '60864801650304012a';

const [INTEGER, OCTETS, OBJECT, SEQUENCE] = [0x02, 0x04, 0x06, 0x30] as const;

type Derive = (passphrase: string, salt: Buffer, bytes: number, cost: typeof COST) => Promise<Buffer>;

/** Returns the private key as PEM text, `-----BEGIN ENCRYPTED PRIVATE KEY-----`. Takes about half a second. */
export async function lockKey(key: KeyObject, passphrase: string): Promise<string> {
  const [salt, iv] = [randomBytes(BLOCK_BYTES), randomBytes(BLOCK_BYTES)];
  const derived = await (promisify(scrypt) as Derive)(passphrase, salt, KEY_BYTES, COST);
  const cipher = createCipheriv('aes-256-cbc', derived, iv);
  const locked = [cipher.update(key.export({ type: 'pkcs8', format: 'der' })), cipher.final()];
  const cost = Object.values(COST).map((one) => der(INTEGER, bytesOf(one)));
  const derivation = der(SEQUENCE, id(SCRYPT), der(SEQUENCE, der(OCTETS, salt), ...cost));
  const encryption = der(SEQUENCE, id(AES_256_CBC), der(OCTETS, iv));
  const whole = der(SEQUENCE, der(SEQUENCE, id(PBES2), der(SEQUENCE, derivation, encryption)), der(OCTETS, ...locked));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `${BEGIN}\n${lines.join('\n')}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
}

const BEGIN = '-----BEGIN ENCRYPTED PRIVATE KEY-----';

/**
 * Whether a PEM text is a private key that a passphrase locks.
 * @example isLocked('-----BEGIN ENCRYPTED PRIVATE KEY-----\n...'); // true
 */
export function isLocked(text: string): boolean {
  return text.includes(BEGIN);
}

/** Encodes one value in DER, with its tag and length. Values here are shorter than 256 bytes. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(body.length < 128 ? [tag, body.length] : [tag, 0x81, body.length]), body]);
}

function id(hex: string): Buffer {
  return der(OBJECT, Buffer.from(hex, 'hex'));
}

/** Encodes a number below 2^15 in the fewest bytes. */
function bytesOf(value: number): Buffer {
  return Buffer.from(value < 128 ? [value] : [value >> 8, value & 0xff]);
}
