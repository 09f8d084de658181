/** Writes a payload as bytes and reads it back: the protobuf message `temporal.api.common.v1.Payload`. */

import protobuf from 'protobufjs/minimal.js';
import type { Payload } from '@temporalio/common';

type Metadata = { [name: string]: Uint8Array };

/** Protobuf tags: the field number shifted left by 3, plus 2 for a field with a length. */
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

/** @throws if the bytes are not a protobuf message */
export function payloadOfBytes(bytes: Uint8Array): Payload {
  const reader = protobuf.Reader.create(bytes);
  // The object has no prototype, since a field may have any name, even `__proto__`.
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
