/**
 * The part of a store for one run or conversation: contents by their digest, and entries by name. Keys below its scope,
 * such as `runs/<owner>/<firstRunId>`: objects/<sha256> a content parts/<sha256> many small contents and entries in one
 * object, from a part of a plan <name> an entry, after its checksum If a few contents and entries are stored together,
 * each of their keys has all of them.
 */

import { crc32 } from 'node:zlib';
import { isRecord } from '../protocol/index.ts';
import { jsonIn } from '../plan/text/index.ts';
import { inParallel } from './in-lines.ts';
import { scopeOf, sha256, digestOfRef, normalRef, refOfBytes } from './owners.ts';
import { forgotten, StoreError, type Store } from './store.ts';

/**
 * The contents of one run with its agents, or of one conversation. The reference of a content is the SHA-256 of its
 * bytes. Repeated writes are therefore harmless, and a read detects a changed byte.
 */
export interface ResultStore {
  readonly place: string;
  /** Stores the bytes and returns their reference. Repeating it has no effect. @throws StoreError `unwritable` */
  put(bytes: Uint8Array): Promise<string>;
  /** Reads the bytes of a reference. @throws StoreError `not-found`, `corrupt`, `invalid-ref`, `unreadable` */
  get(ref: string): Promise<Uint8Array>;
  /**
   * Stores bytes under a name, unless the name exists. An entry never changes.
   * @returns the stored entry: these bytes, or those of the first writer
   * @throws StoreError `unwritable`, `unreadable`, `corrupt`
   */
  enter(name: string, bytes: Uint8Array): Promise<Uint8Array>;
  /** Reads the entry under a name; undefined if there is none. @throws StoreError `unreadable`, `corrupt` */
  entry(name: string): Promise<Uint8Array | undefined>;
  /** The names of all entries with this prefix. @throws StoreError `unreadable` */
  names(prefix: string): Promise<readonly string[]>;
  /** Stores contents and entries in one object. They are on disk when the call resolves. */
  putTogether(pieces: readonly Piece[]): Promise<void>;
  /**
   * Stores a few contents and entries, each under its own key, in one write if the store can do that.
   * @returns for each content its bytes, for each entry what `enter` returns
   * @throws the errors of `put` and `enter`
   */
  putAtOnce(pieces: readonly Piece[]): Promise<readonly Uint8Array[]>;
}

/** A content, or an entry with its name. */
export type Piece = readonly [bytes: Uint8Array, name?: string];

interface PieceLocation {
  readonly key: string;
  readonly from: number;
  readonly length: number;
}

const MAX_PARTS = 16;
/** Maximum size in bytes of pieces that are stored together, since a reader of one piece reads all of them. */
const MAX_AT_ONCE = 256 * 1024;
const SUM_CHARACTERS = 8;

/** The part of a store for one scope. @param scope the prefix of its keys, without a final `/` */
export function resultsIn(store: Store, scope: string): ResultStore {
  const { place } = store;
  const known = new Set<string>();
  const pieces = new Map<string, PieceLocation>();
  const parts = new Map<string, Uint8Array>();
  const keyOf = (name: string) => `${scope}/${name}`;
  const objectKey = (ref: string) => keyOf(`objects/${digestOfRef(ref)}`);

  const partAt = async (key: string): Promise<Uint8Array> => {
    const bytes = parts.get(key) ?? (await store.get(key));
    if (bytes === undefined) throw new StoreError('corrupt', changed(key, place));
    // A damaged object is not cached, since somebody may restore it before the next read.
    if (!parts.has(key) && hexOf(bytes) !== key.split('/').at(-1)) return bytes;
    parts.delete(key);
    parts.set(key, bytes);
    const [oldest] = parts.keys();
    if (parts.size > MAX_PARTS && oldest !== undefined) parts.delete(oldest);
    return bytes;
  };
  const takeIn = (key: string, bytes: Uint8Array): void => {
    // A damaged object is not recorded as known, so that each read reports the error.
    const all = piecesOf(bytes);
    if (all === undefined) throw new StoreError('corrupt', changed(key, place));
    known.add(key);
    for (const [name, from, length] of all) if (!pieces.has(name)) pieces.set(name, { key, from, length });
  };
  const look = async (): Promise<void> => {
    for await (const { key } of store.list(keyOf('parts/'))) if (!known.has(key)) takeIn(key, await partAt(key));
  };
  const pieceOf = async (name: string): Promise<Uint8Array | undefined> => {
    const piece = pieces.get(name);
    if (piece === undefined) return undefined;
    return (await partAt(piece.key)).subarray(piece.from, piece.from + piece.length);
  };

  /** Replaces a damaged object: a caller with the right bytes can repair it. */
  const mend = async (key: string, ref: string, bytes: Uint8Array): Promise<void> => {
    const there = await store.get(key);
    if (there !== undefined && refOfBytes(contentIn(there, ref)) === ref) return;
    if (there !== undefined) await store.remove([key]);
    await store.put(key, bytes);
  };
  const storedEntry = async (name: string): Promise<Uint8Array> => {
    const there = await store.get(keyOf(name));
    if (there === undefined) throw forgotten(name, place);
    return entryIn(there, name, keyOf(name), place);
  };

  const results: ResultStore = {
    place,

    async put(bytes) {
      const ref = refOfBytes(bytes);
      const key = objectKey(ref);
      if (!(await store.put(key, bytes))) await mend(key, ref, bytes);
      return ref;
    },

    async get(written) {
      const ref = normalRef(written);
      let bytes = await pieceOf(ref);
      // If a piece is damaged in the common object, it may have been stored again separately.
      if (bytes === undefined || refOfBytes(bytes) !== ref) {
        const there = await store.get(objectKey(ref));
        bytes = there === undefined ? bytes : contentIn(there, ref);
      }
      if (bytes === undefined) {
        await look();
        bytes = await pieceOf(ref);
      }
      if (bytes === undefined) throw new StoreError('not-found', missing(ref, place));
      if (refOfBytes(bytes) === ref) return bytes;
      throw new StoreError('corrupt', changed(pieces.get(ref)?.key ?? objectKey(ref), place));
    },

    async enter(name, bytes) {
      return (await store.put(keyOf(name), summed(bytes))) ? bytes : storedEntry(name);
    },

    async entry(name) {
      const there = await store.get(keyOf(name));
      if (there !== undefined) return entryIn(there, name, keyOf(name), place);
      if (!pieces.has(name)) await look();
      const piece = await pieceOf(name);
      return piece && unsummed(piece, pieces.get(name)!.key, place);
    },

    async names(prefix) {
      const found: string[] = [];
      for await (const { key } of store.list(keyOf(prefix))) found.push(key.slice(scope.length + 1));
      await look();
      for (const name of pieces.keys()) if (name.startsWith(prefix)) found.push(name);
      return [...new Set(found)];
    },

    async putTogether(all) {
      const part = partOf(all);
      const key = keyOf(`parts/${hexOf(part)}`);
      await store.put(key, part);
      takeIn(key, part);
    },

    async putAtOnce(all) {
      if (
        all.length < 2 ||
        store.putUnder === undefined ||
        all.reduce((sum, [{ length }]) => sum + length, 0) > MAX_AT_ONCE
      ) {
        return inParallel(all.length, all, async ([bytes, name]) => {
          if (name !== undefined) return results.enter(name, bytes);
          await results.put(bytes);
          return bytes;
        });
      }
      const keys = all.map(([bytes, name]) => (name === undefined ? objectKey(refOfBytes(bytes)) : keyOf(name)));
      const free = await store.putUnder(keys, partOf(all));
      const stored: Uint8Array[] = [];
      for (const [at, [bytes, name]] of all.entries()) {
        stored.push(name === undefined || free[at] === true ? bytes : await storedEntry(name));
        if (name === undefined && free[at] !== true) await mend(keys[at]!, refOfBytes(bytes), bytes);
      }
      return stored;
    },
  };
  return results;
}

/** Returns the part of a store for a scope. While it is in use, callers get the same object. */
export function openResults(store: Store): (scope: string) => ResultStore {
  const opened = new Map<string, ResultStore>();
  return (scope) => {
    const results = opened.get(scope) ?? resultsIn(store, scope);
    opened.delete(scope);
    opened.set(scope, results);
    const [oldest] = opened.keys();
    if (opened.size > MAX_SCOPES && oldest !== undefined) opened.delete(oldest);
    return results;
  };
}

/** Maximum number of scopes in memory. A scope's index takes some hundred bytes per node. */
const MAX_SCOPES = 50;

/**
 * Encodes several pieces in one object: a checksum, a line of JSON, `{ "names": [[name, length], ...] }`, then the
 * bytes of each piece. A changed byte damages only its own piece.
 */
function partOf(all: readonly Piece[]): Uint8Array {
  const written = all.map(([bytes, name]) => (name === undefined ? bytes : summed(bytes)));
  const names = all.map(([bytes, name], at) => [name ?? refOfBytes(bytes), written[at]!.length]);
  const head = summed(Buffer.from(JSON.stringify({ names })));
  return Buffer.concat([head, Buffer.from('\n'), ...written]);
}

/** The content under a key: the bytes themselves, or a piece of them. */
function contentIn(there: Uint8Array, ref: string): Uint8Array {
  return pieceIn(there, ref) ?? there;
}

/** The entry under a key, after its checksum is verified. @throws StoreError `corrupt` */
function entryIn(there: Uint8Array, name: string, key: string, place: string): Uint8Array {
  return unsummed(pieceIn(there, name) ?? there, key, place);
}

const PART_BEGINS = Buffer.from('{"names":');

/** Finds a piece by name. @returns undefined if the bytes are no pieces, or lack this one */
function pieceIn(there: Uint8Array, name: string): Uint8Array | undefined {
  if (!PART_BEGINS.equals(there.subarray(SUM_CHARACTERS, SUM_CHARACTERS + PART_BEGINS.length))) return undefined;
  const piece = piecesOf(there)?.find((one) => one[0] === name);
  return piece && there.subarray(piece[1], piece[1] + piece[2]);
}

/** The positions of all pieces in an object; undefined if its first line is damaged. */
function piecesOf(part: Uint8Array): readonly (readonly [name: string, from: number, length: number])[] | undefined {
  const end = Buffer.from(part.buffer, part.byteOffset, part.length).indexOf('\n');
  const line = part.subarray(0, Math.max(0, end));
  const head = isSummed(line) && jsonIn(line.subarray(SUM_CHARACTERS));
  if (!isRecord(head) || !Array.isArray(head['names'])) return undefined;
  let from = end + 1;
  return (head['names'] as readonly [string, number][]).map(([name, length]) => {
    from += length;
    return [name, from - length, length];
  });
}

function summed(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(crc32(bytes).toString(16).padStart(SUM_CHARACTERS, '0')), bytes]);
}

function isSummed(there: Uint8Array): boolean {
  return Buffer.compare(summed(there.subarray(SUM_CHARACTERS)), there) === 0;
}

/** Verifies the checksum and removes it. @throws StoreError `corrupt` */
function unsummed(there: Uint8Array, key: string, place: string): Uint8Array {
  if (isSummed(there)) return there.subarray(SUM_CHARACTERS);
  throw new StoreError('corrupt', changed(key, place));
}

/** Checks the value under a key. @returns the damage as a sentence; undefined if there is none */
export function damageOf(key: string, bytes: Uint8Array, place: string): string | undefined {
  const [kind, last = ''] = key.split('/').slice(-2);
  const isWhole =
    kind === 'objects'
      ? hexOf(contentIn(bytes, Buffer.from(last, 'hex').toString('base64url'))) === last
      : kind === 'parts'
        ? hexOf(bytes) === last
        : isSummed(pieceIn(bytes, key.slice((scopeOf(key)?.length ?? -1) + 1)) ?? bytes);
  return isWhole ? undefined : changed(key, place);
}

function hexOf(bytes: Uint8Array): string {
  return sha256(bytes).toString('hex');
}

function missing(ref: string, place: string): string {
  return `There is no result ${ref} in the store at ${place}. Client and workers must share one store: give them the same one (results of the config, or PLANWRIGHT_STORE).`;
}

function changed(key: string, place: string): string {
  return `${key} in the store at ${place} does not hold its bytes: it was changed or cut after it was written. Remove it and run again what made it, or restore it from a copy.`;
}
