/**
 * Encrypts everything that goes to a Temporal server, and decrypts what comes back, in the format of Temporal's samples
 * in Go, Java, Python, .NET and TypeScript.
 */

import { webcrypto } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import { cutCharacters } from '../../plan/text/index.ts';
import { EncryptionError, openKeyring, type EncryptionKeys, type Keyring } from './keyring.ts';
import protobuf from 'protobufjs/minimal.js';

export const ENCRYPTED = 'binary/encrypted';
const KEY_ID = 'encryption-key-id';
/** The metadata key for the reason why a payload could not be decrypted. The workflow's data converter reads it. */
const PROBLEM = 'encryption-problem';
/** The metadata key with which an encrypting worker marks every payload that it has decoded. */
const SEALING = 'planwright-sealing';
/** The metadata key of payloads that are no secret and are never encrypted. */
export const OPEN = 'open-word';

/** A payload codec that also says whether it encrypts. */
export interface EncryptionCodec extends PayloadCodec {
  /** False if the codec has no keys. It can then only name the missing key. */
  readonly encrypts: boolean;
}

/**
 * Makes the codec of a client. With keys, the codec encrypts everything that the client sends. It reads unencrypted
 * data unchanged.
 * @param keys if absent, nothing is encrypted, and encrypted data is an error that names its key
 * @throws EncryptionError `invalid-keys`
 * @example new Client({ connection, dataConverter: { payloadCodecs: [encryptionCodec(keys)] } });
 */
export function encryptionCodec(keys?: EncryptionKeys): EncryptionCodec {
  return codecOf(keys && openKeyring(keys), (_, error) => {
    throw error;
  });
}

/** The codec of a worker. What it cannot decrypt stays unchanged, since an error would block the run forever. */
export function lenientCodec(keyring?: Keyring): EncryptionCodec {
  return codecOf(keyring, (payload, error) => marked(payload, { [PROBLEM]: Buffer.from(error.message) }));
}

/**
 * Makes the first codec of a worker, which decodes last and marks whether this worker encrypts. The failure converter
 * in the workflow sandbox cannot learn this in another way (`workflows/payload-converter.js`).
 */
export function sealingMark(encrypts: boolean): PayloadCodec {
  const mark = { [SEALING]: Buffer.from(encrypts ? 'true' : '') };
  return {
    encode: async (payloads) => payloads,
    decode: async (payloads) =>
      payloads.map((payload) => (encrypts || payload.metadata?.[SEALING] ? marked(payload, mark) : payload)),
  };
}

function marked({ metadata, ...payload }: Payload, mark: Readonly<Record<string, Uint8Array>>): Payload {
  return { ...payload, metadata: { ...metadata, ...mark } };
}

export function isEncrypting(codec: PayloadCodec): boolean {
  return 'encrypts' in codec && codec.encrypts === true;
}

/** The id of the key that encrypted a payload; `''` if the payload names none, undefined if it is unencrypted. */
export function keyIdOf({ metadata }: Payload): string | undefined {
  return textOf(metadata?.['encoding']) === ENCRYPTED ? textOf(metadata?.[KEY_ID]) : undefined;
}

/** Why the codec could not decrypt this payload; undefined if it is unencrypted. */
export function whyEncrypted({ metadata }: Payload): string | undefined {
  return metadata?.[PROBLEM] && textOf(metadata[PROBLEM]);
}

function codecOf(
  keyring: Keyring | undefined,
  otherwise: (payload: Payload, error: EncryptionError) => Payload,
): EncryptionCodec {
  return {
    encrypts: keyring !== undefined,
    encode: async (payloads) => {
      if (keyring === undefined) return payloads;
      const encrypt = encrypted(keyring);
      return Promise.all(payloads.map(async (one) => (one.metadata?.[OPEN] ? one : encrypt(one))));
    },
    decode: (payloads) => Promise.all(payloads.map((one) => decrypted(one, keyring, otherwise))),
  };
}

function encrypted({ current }: Keyring): (payload: Payload) => Promise<Payload> {
  const metadata = { encoding: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(current.id) };
  return async (payload) => ({ metadata, data: await seal(await current.forPayloads(), payloadBytes(payload)) });
}

async function decrypted(
  payload: Payload,
  keyring: Keyring | undefined,
  otherwise: (payload: Payload, error: EncryptionError) => Payload,
): Promise<Payload> {
  const id = keyIdOf(payload);
  if (id === undefined) return payload;
  const key = keyring?.key(id);
  if (key === undefined) return otherwise(payload, missing(id));
  const bytes = await unseal(await key.forPayloads(), payload.data ?? new Uint8Array());
  try {
    if (bytes !== undefined) return payloadOfBytes(bytes);
  } catch {
    // The key is right, but the decrypted bytes are no payload.
  }
  return otherwise(payload, new EncryptionError('wrong-key', `key ${named(id)} does not open it: ${WRONG}`));
}

const WRONG = 'it was encrypted with another key of this id, or changed since';

function missing(id: string): EncryptionError {
  const what = id === '' ? 'with a key that has no id' : `with key ${named(id)}, which is not here`;
  return new EncryptionError(
    'no-key',
    `it is encrypted ${what}; keys stand under "encryption" of planwright.config.ts`,
  );
}

const SHOWN = 64;

/** Shortens and quotes a key id, since a payload's sender can choose any text as id. */
function named(id: string): string {
  return JSON.stringify(cutCharacters(id, SHOWN));
}

function textOf(bytes: Uint8Array | null | undefined): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}

export const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Sealing {
  /** The AES-GCM nonce: 12 bytes that this key has never used before. Default: random bytes. */
  readonly nonce?: Uint8Array;
  /** Additional data that binds the ciphertext to its place. `unseal` fails with other data. */
  readonly belongsTo?: Uint8Array;
}

/** Encrypts with AES-256-GCM of WebCrypto, outside the event loop. Output: nonce, ciphertext, 16-byte tag. */
export async function seal(
  key: webcrypto.CryptoKey,
  bytes: Uint8Array,
  { nonce = webcrypto.getRandomValues(new Uint8Array(NONCE_BYTES)), belongsTo }: Sealing = {},
): Promise<Buffer> {
  const sealed = await webcrypto.subtle.encrypt(algorithm(nonce, belongsTo), key, bytes);
  return Buffer.concat([nonce, Buffer.from(sealed)]);
}

/** Decrypts the output of `seal`; undefined if another key made the data or somebody changed them. */
export async function unseal(
  key: webcrypto.CryptoKey,
  sealed: Uint8Array,
  { belongsTo }: Pick<Sealing, 'belongsTo'> = {},
): Promise<Buffer | undefined> {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = sealed.subarray(0, NONCE_BYTES);
  try {
    return Buffer.from(await webcrypto.subtle.decrypt(algorithm(nonce, belongsTo), key, sealed.subarray(NONCE_BYTES)));
  } catch {
    return undefined;
  }
}

function algorithm(iv: Uint8Array, additionalData: Uint8Array | undefined): webcrypto.AesGcmParams {
  return { name: 'AES-GCM', iv, ...(additionalData !== undefined && { additionalData }) };
}

type Metadata = { [name: string]: Uint8Array };

/** Protobuf tags: the field number shifted left by 3, plus 2 for a field that has a length. */
const METADATA = 10;
const DATA = 18;
const NAME = 10;
const VALUE = 18;

export function payloadBytes({ metadata, data }: Payload): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const [name, value] of Object.entries(metadata ?? {})) {
    writer.uint32(METADATA).fork().uint32(NAME).string(name).uint32(VALUE).bytes(value).ldelim();
  }
  if (data != null && data.length > 0) writer.uint32(DATA).bytes(data);
  return writer.finish();
}

/** Parses bytes as a payload. @throws if they are not a protobuf message */
export function payloadOfBytes(bytes: Uint8Array): Payload {
  const reader = protobuf.Reader.create(bytes);
  // A field may have any name, even `__proto__`, so the object has no prototype.
  const metadata = Object.create(null) as Metadata;
  let data = new Uint8Array();
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === METADATA) readEntry(reader, metadata);
    else if (tag === DATA) data = reader.bytes().slice();
    else reader.skipType(tag & 7);
  }
  return { metadata, data };
}

function readEntry(reader: protobuf.Reader, into: Metadata): void {
  const end = reader.uint32() + reader.pos;
  let [name, value] = ['', new Uint8Array()];
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === NAME) name = reader.string();
    else if (tag === VALUE) value = reader.bytes().slice();
    else reader.skipType(tag & 7);
  }
  into[name] = value;
}
