/** What goes to a server is encrypted in the form of Temporal's samples, and what cannot be decrypted says which key it lacks. */

import { createDecipheriv, randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encryptionCodec,
  keyIdOf,
  lenientCodec,
  openKeyring,
  sealingMark,
} from '../../../src/protocol/encryption/index.ts';
import { payloadBytes, payloadOfBytes } from '../../../src/protocol/encryption/payload-codec.ts';
import { payloadConverter } from '../../../src/workflows/payload-converter.js';

const base64 = () => randomBytes(32).toString('base64');
const [first, second] = [base64(), base64()];
const before = { keys: { first }, current: 'first' };
const after = { keys: { first, second }, current: 'second' };
const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value);
const text = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString();

describe('a payload', () => {
  test('NIST SP 800-38D: random nonces, so that it differs each time it is encrypted, and comes back as it was', async () => {
    const codec = encryptionCodec(before);
    const payloads = [payloadOf({ plan: 'secret' }), payloadOf(undefined), payloadOf(new Uint8Array([1, 2, 3]))];
    const [sealed, again] = await Promise.all([codec.encode(payloads), codec.encode(payloads)]);
    expect(sealed.map(({ data }) => text(data)).join()).not.toContain('secret');
    expect(sealed.map(({ data }) => text(data))).not.toEqual(again.map(({ data }) => text(data)));
    const read = await codec.decode(sealed);
    expect(read.map((one) => payloadConverter.fromPayload(one))).toEqual(
      payloads.map((one) => payloadConverter.fromPayload(one)),
    );
  });

  test('Temporal codec: binary/encrypted: the names of its metadata, and nonce, ciphertext and tag over its protobuf', async () => {
    const [sealed] = await encryptionCodec(before).encode([payloadOf('secret')]);
    const { metadata = {}, data } = sealed!;
    expect(Object.fromEntries(Object.entries(metadata!).map(([name, value]) => [name, text(value)]))).toEqual({
      encoding: 'binary/encrypted',
      'encryption-key-id': 'first',
    });
    const bytes = Buffer.from(data!);
    const decipher = createDecipheriv('aes-256-gcm', Buffer.from(first, 'base64'), bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(-16));
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    const read = temporal.api.common.v1.Payload.decode(plain);
    expect(text(read.data)).toBe('"secret"');
    expect(text(read.metadata['encoding'])).toBe('json/plain');
  });

  test('is read after another key encrypts, for as long as its own is there', async () => {
    const sealed = await encryptionCodec(before).encode([payloadOf('old')]);
    const [read] = await encryptionCodec(after).decode(sealed);
    expect(text(read!.data)).toBe('"old"');
    expect((await encryptionCodec(after).encode(sealed)).map(keyIdOf)).toEqual(['second']);
  });

  test('that is not encrypted is read as it is', async () => {
    const plain = [payloadOf('plain'), {}, { metadata: { encoding: Buffer.from('own/form') }, data: Buffer.from('x') }];
    expect(await encryptionCodec(before).decode(plain)).toEqual(plain);
    expect(await encryptionCodec().encode(plain)).toEqual(plain);
  });
});

describe('what cannot be decrypted', () => {
  const sealedBy = async (keys: typeof before) => (await encryptionCodec(keys).encode([payloadOf('secret')]))[0]!;
  const cases: readonly [name: string, make: () => Promise<Payload>, code: string, message: string][] = [
    ['the key is not here', () => sealedBy(before), 'no-key', 'with key "first", which is not here'],
    [
      'another key under its id',
      () => sealedBy({ keys: { second: first }, current: 'second' } as never),
      'wrong-key',
      'key "second" does not open it',
    ],
    [
      'changed bytes',
      async () => {
        const { metadata, data } = await sealedBy({ keys: { second }, current: 'second' } as never);
        return { metadata: metadata!, data: Buffer.from(data!).map((byte, at) => (at === 20 ? byte ^ 1 : byte)) };
      },
      'wrong-key',
      'changed since',
    ],
    [
      'too few bytes',
      async () => ({ metadata: (await sealedBy({ keys: { second }, current: 'second' } as never)).metadata! }),
      'wrong-key',
      'does not open it',
    ],
    [
      'no id of a key',
      async () => ({ metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from('x') }),
      'no-key',
      'with a key that has no id',
    ],
  ];
  const here = { keys: { second }, current: 'second' };

  test.each(cases)('%s: a client fails and names it', async (_, make, code, message) => {
    const failed = encryptionCodec(here).decode([await make()]);
    await expect(failed).rejects.toMatchObject({ name: 'EncryptionError', code });
    await expect(failed).rejects.toThrow(message);
  });

  test.each(cases)('%s: a worker goes on with a marker that names it', async (_, make, __, message) => {
    const [left] = await lenientCodec(openKeyring(here)).decode([await make()]);
    expect(payloadConverter.fromPayload(left!)).toMatchObject({
      malformed: true,
      encoding: 'binary/encrypted',
      reason: expect.stringContaining(message) as string,
    });
  });

  test('without any keys: a client and a worker name the one that is missing', async () => {
    const sealed = await sealedBy(before);
    await expect(encryptionCodec().decode([sealed])).rejects.toThrow('with key "first", which is not here');
    const [left] = await lenientCodec().decode([sealed]);
    expect(payloadConverter.fromPayload(left!)).toMatchObject({ reason: expect.stringContaining('"first"') as string });
    expect(payloadConverter.fromPayload(sealed)).toMatchObject({ reason: 'it is encrypted' });
  });

  test('an id that a stranger chose is told cut and quoted', async () => {
    const id = `${'x'.repeat(1000)}\n`;
    const strange = { metadata: { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from(id) } };
    await expect(encryptionCodec(here).decode([strange])).rejects.toThrow(/key "x{63}…", which/);
  });
});

test('a payload says that its worker encrypts, and nobody else can say so', async () => {
  const isMarked = async (encrypts: boolean, metadata: Record<string, Uint8Array>) => {
    const [decoded] = await sealingMark(encrypts).decode([{ metadata, data: new Uint8Array() }]);
    return Buffer.from(decoded?.metadata?.['planwright-sealing'] ?? []).toString();
  };
  const forged = { 'planwright-sealing': Buffer.from('true') };
  expect(await Promise.all([isMarked(true, {}), isMarked(false, {}), isMarked(false, forged)])).toEqual([
    'true',
    '',
    '',
  ]);
});

test('the bytes of a payload are those of the protobuf of the API, and back', () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  const payload = fc.record({
    metadata: fc.dictionary(fc.string({ maxLength: 12 }), bytes, { maxKeys: 4 }),
    data: bytes,
  });
  fc.assert(
    fc.property(payload, (one) => {
      const { Payload } = temporal.api.common.v1;
      const plain = Payload.toObject(Payload.decode(payloadBytes(one)), { defaults: true, bytes: Uint8Array });
      const same = payloadOfBytes(Payload.encode(one).finish());
      for (const read of [plain as Payload, same]) {
        expect(Buffer.from(read.data ?? [])).toEqual(Buffer.from(one.data));
        expect(Object.entries(read.metadata ?? {}).map(([name, value]) => [name, [...value]])).toEqual(
          Object.entries(one.metadata).map(([name, value]) => [name, [...value]]),
        );
      }
    }),
  );
});
