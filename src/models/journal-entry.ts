/** The entries of the journal of replies, as bytes. */

import { jsonIn } from '../plan/text/index.ts';
import { canonicalJson, type JsonValue } from '../plan/index.ts';
import { isReply } from './pieces.ts';
import { MODEL_ERROR_KINDS, type ModelErrorKind } from './model-error.ts';
import type { ErrorClass } from '../protocol/index.ts';
import type { ModelReply, ModelRequest, ModelUsage } from './model-client.ts';

interface Head {
  readonly version: 1;
  /** The reference of the request, which is stored too: SHA-256 of its canonical form (RFC 8785) with the model's name. */
  readonly request: string;
  /** The try that brought it, where tries are counted. */
  readonly try?: number;
}

export type Entry = Head & ({ readonly reply: ModelReply } | { readonly failure: PaidFailure });

export interface PaidFailure {
  readonly kind: ModelErrorKind;
  readonly message: string;
  readonly severity: ErrorClass;
  readonly usage: ModelUsage;
  readonly text: string;
}

/** Everything that decides what the reply answers: the model, the messages, the format, the tools and the limits. */
export function requestBytes(model: string, request: ModelRequest): Uint8Array {
  // A member that is undefined is none.
  const plain = JSON.parse(JSON.stringify({ version: 1, model, request })) as JsonValue;
  return new TextEncoder().encode(canonicalJson(plain));
}

/** Not canonical: an entry that is read again has its members in the order in which the model wrote them. */
export function entryBytes(entry: Entry): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(entry));
}

/** @throws TypeError when the bytes are none, or those of another version. */
export function readEntry(bytes: Uint8Array, name: string): Entry {
  const entry = (jsonIn(bytes) ?? {}) as Partial<Head> & {
    reply?: Partial<ModelReply>;
    failure?: Partial<PaidFailure>;
  };
  const isFailure = MODEL_ERROR_KINDS.some((kind) => kind === entry.failure?.kind);
  if (entry.version === 1 && (isReply(entry.reply) || isFailure)) return entry as Entry;
  throw new TypeError(
    `What the journal has under ${name} is no reply that this version can read. Run it with the version that wrote it, or ask under another key.`,
  );
}
