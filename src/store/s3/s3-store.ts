/**
 * A result store in a bucket, for workers on many machines. Its keys:
 *
 *   objects/<ref>/<week> · names/<key> · kept/<key>/<ref of the value>
 *
 * An object is written under the week in which it is: nobody writes to the weeks before, so that an old copy can be taken away
 * while others write. S3 refuses a request whose time is 15 minutes off, which holds for a process that stood still as well.
 */

import { createGroupedStore } from '../grouped-store.ts';
import { inParallel } from '../in-parallel.ts';
import type { NewEntry, OpenedStore } from '../inventory.ts';
import { missing } from '../lookup.ts';
import { forgotten } from '../names.ts';
import { refOfBytes } from '../refs.ts';
import { MAX_KEPT, StoreError } from '../store.ts';
import { openBucket, type Bucket, type S3Place } from './bucket.ts';
import { createBucketInventory } from './inventory.ts';
import { keptKey, nameKey, objectKey, objectPrefix, keptPrefix, weekOf } from './keys.ts';

/** Larger entries are written by themselves, so that small ones do not wait for them. */
const LARGEST_IN_GROUP = 1_048_576;
/** Requests of a group at once. */
const AT_ONCE = 32;
/** A copy may be taken away between the listing and the reading of it; a newer one is there then. */
const MOST_LOOKS = 3;
const REF = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

/**
 * A store in a bucket. It needs the package `@aws-sdk/client-s3`, which finds the credentials: the environment, a profile, a role.
 * @example createWorker({ ...place, registry, store: createS3Store({ bucket: 'plans', prefix: 'results' }) });
 */
export function createS3Store(at: S3Place): OpenedStore {
  const bucket = openBucket(at);
  const { place } = bucket;

  const nameAt = async (key: string): Promise<string | undefined> => {
    const ref = (await bucket.get(nameKey(key)))?.toString('latin1');
    if (ref === undefined || REF.test(ref)) return ref;
    throw new StoreError('corrupt', `The binding ${nameKey(key)} in ${place} is no reference: it was changed.`);
  };

  return createGroupedStore({
    place,
    largest: LARGEST_IN_GROUP,

    async write(group) {
      // A kept value names objects, and must not outlast them.
      for (const kind of ['object', 'kept'] as const) {
        await inParallel(AT_ONCE, ofKind(group, kind), ({ key, bytes }) => bucket.put(keyFor(kind, key, bytes), bytes));
      }
    },

    async object(ref, isWhole) {
      let changedIn: string | undefined;
      const now = objectKey(ref, weekOf(Date.now()));
      for (let nth = 0; nth <= MOST_LOOKS; nth += 1) {
        const keys = nth === 0 ? [now] : await newestFirst(bucket, ref);
        for (const key of keys) {
          const bytes = await bucket.get(key);
          if (bytes !== undefined && isWhole(ref, bytes)) return bytes;
          if (bytes !== undefined) changedIn ??= key;
        }
        if (nth > 0 && (keys.length === 0 || changedIn !== undefined)) break;
      }
      if (changedIn !== undefined) throw new StoreError('corrupt', changed(`result ${ref}`, changedIn, place));
      throw new StoreError('not-found', missing(ref, place));
    },

    nameAt,
    async bindAt(key, ref) {
      const before = await nameAt(key);
      if (before !== undefined) return before;
      await bucket.putIfFree(nameKey(key), Buffer.from(ref));
      // What is there counts, whatever the server has answered.
      const winner = await nameAt(key);
      if (winner === undefined) throw new StoreError('unreadable', forgotten(key, place));
      return winner;
    },

    async keptAt(key) {
      const found: string[] = [];
      for await (const one of bucket.list(keptPrefix(key), MAX_KEPT)) found.push(one.key);
      const values = await inParallel(AT_ONCE, found, async (one) => {
        const bytes = await bucket.get(one);
        if (bytes === undefined || refOfBytes(bytes) === one.slice(keptPrefix(key).length)) return bytes;
        throw new StoreError('corrupt', changed('a kept value', one, place));
      });
      return values.filter((value) => value !== undefined);
    },

    ...createBucketInventory(bucket),

    probe: () => checkBucket(bucket),
  });
}

function ofKind(group: readonly NewEntry[], kind: NewEntry['kind']): readonly NewEntry[] {
  return group.filter((one) => one.kind === kind);
}

function keyFor(kind: NewEntry['kind'], key: Buffer, bytes: Uint8Array): string {
  const name = key.toString('base64url');
  return kind === 'object' ? objectKey(name, weekOf(Date.now())) : keptKey(name, refOfBytes(bytes));
}

async function newestFirst(bucket: Bucket, ref: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list(objectPrefix(ref))) keys.push(key);
  return keys.reverse();
}

/** Writes and reads, also what is not there: without the right to list, a bucket denies that. */
async function checkBucket(bucket: Bucket): Promise<void> {
  const [key, first] = ['probe/if-none-match', Buffer.from('first')];
  await bucket.put(key, first);
  if ((await bucket.get(key))?.equals(first) !== true)
    throw new StoreError(
      'unreadable',
      `The result store at ${bucket.place} has taken an object and does not have it a moment later.`,
    );
  await bucket.get(nameKey('nothing'));
  // Without the condition two processes could both have a name, and an effect could begin twice.
  if (!(await bucket.putIfFree(key, Buffer.from('second')))) return;
  const message = `The result store at ${bucket.place} does not keep "If-None-Match: *": a second process could write over a name that one has. Use a bucket of a server that keeps it (Amazon S3, MinIO, Cloudflare R2, Ceph), a database or a file system.`;
  throw new StoreError('unwritable', message);
}

function changed(what: string, key: string, place: string): string {
  return `${key} in ${place} does not hold the bytes of ${what}: it was changed or cut after it was written. Remove it and run again what made it, or restore it from a copy.`;
}
