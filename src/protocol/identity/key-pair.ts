import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  type PrivateKeyInput,
  createCipheriv,
  randomBytes,
  scrypt,
} from 'node:crypto';
import { promisify } from 'node:util';

/**
 * Thrown if a key or a message cannot be used for signing. The message gives the reason and what to do.
 * @example if (error instanceof IdentityError) console.error(error.message);
 */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
}

/** An Ed25519 key pair as PEM texts, as `createKeyPair` makes it. */
export interface KeyPair {
  /** PEM, PKCS8: `-----BEGIN PRIVATE KEY-----`, or `-----BEGIN ENCRYPTED PRIVATE KEY-----` if a passphrase locks it. */
  readonly privateKey: string;
  /** PEM, SPKI: `-----BEGIN PUBLIC KEY-----`. */
  readonly publicKey: string;
}

/**
 * Makes an Ed25519 key pair, both keys as PEM texts. Only its owner may have the private key.
 * @example const { privateKey, publicKey } = createKeyPair();
 */
export function createKeyPair(): KeyPair {
  return generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}

/**
 * Makes an Ed25519 key pair for a person: a passphrase locks the private key. The person types it for each signature.
 * @throws IdentityError if the passphrase has fewer than 12 characters
 * @example const { privateKey } = await createLockedKeyPair(passphrase);
 */
export async function createLockedKeyPair(passphrase: string): Promise<KeyPair> {
  if (passphrase.length < LEAST_CHARACTERS) {
    throw new IdentityError(`a passphrase has at least ${LEAST_CHARACTERS} characters: take four words or more`);
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return { privateKey: await lockKey(privateKey, passphrase), publicKey: pem };
}

/** Minimum length of a passphrase. Somebody with the file can guess once per half second. */
const LEAST_CHARACTERS = 12;

/**
 * Computes the public key of a private key, as PEM text.
 * @throws IdentityError if the text is not an Ed25519 private key, or if a passphrase locks the key
 * @example publicKeyOf(await readFile('operator.key.pem', 'utf8')); // '-----BEGIN PUBLIC KEY-----\n...'
 */
export function publicKeyOf(privateKey: string | KeyObject): string {
  return createPublicKey(readPrivateKey(privateKey)).export({ type: 'spki', format: 'pem' }).toString();
}

/**
 * Unlocks a private key for signing.
 * @throws IdentityError if the passphrase is wrong
 * @example await signMessage({ key: unlockKey(pem, passphrase), by: 'operator', workflowId, message });
 */
export function unlockKey(text: string, passphrase: string): KeyObject {
  const key = parse({ key: text, passphrase });
  if (key === undefined) throw new IdentityError('the passphrase is not the one that the key is locked with');
  return readPrivateKey(key);
}

/** Reads an Ed25519 private key. @throws IdentityError, without any part of the text, if the key is unusable */
export function readPrivateKey(given: string | KeyObject): KeyObject {
  const key = typeof given === 'string' ? parse(given) : given;
  if (key?.type === 'private' && key.asymmetricKeyType === 'ed25519') return key;
  const text = typeof given === 'string' ? given : '';
  const got = key === undefined ? whatCame(text) : `a private key of type ${key.asymmetricKeyType}`;
  throw new IdentityError(
    `the key to sign with: expected the PEM text of an Ed25519 private key, -----BEGIN PRIVATE KEY-----, got ${got}; ` +
      'make one with `npx planwright init --key-pair` or `openssl genpkey -algorithm ed25519`',
  );
}

function parse(source: string | PrivateKeyInput): KeyObject | undefined {
  try {
    return createPrivateKey(source);
  } catch {
    return undefined;
  }
}

function whatCame(text: string): string {
  if (isLocked(text)) return 'one that is locked with a passphrase; unlock it with `unlockKey`';
  return text.includes('-----BEGIN PUBLIC KEY-----') ? 'a public key' : 'a text that cannot be read as one';
}

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
async function lockKey(key: KeyObject, passphrase: string): Promise<string> {
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

/** Encodes one value in DER, with its tag and length. Supports values of up to 255 bytes. */
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
