/** A bucket that does not do what it should: each thing in a clear word, nothing lost, nothing twice. */

import { beforeEach, expect, test, vi } from 'vitest';
import { createS3Store, resultsIn, StoreError, type Store } from '../../src/store/index.ts';
import { optional } from '../../src/store/store.ts';
import { faultIn } from '../../src/activities/failures.ts';
import { startFalseS3, type FalseS3, type Instead } from '../support/s3-server.ts';

let server: FalseS3;
let store: Store;
const bytes = Buffer.from('a result');
const KEY = 'runs/o/c/x';

beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'hush');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  server = await startFalseS3();
  store = open();
});

const open = () => createS3Store({ bucket: 'plans', prefix: 'results', endpoint: server.endpoint });
const failed = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as StoreError,
  );

test('keeps what it promises, and passes the probe', async () => {
  await store.probe?.();
  expect(await store.put(KEY, bytes)).toBe(true);
  expect(await open().get(KEY)).toEqual(bytes);
  expect([...server.objects.keys()].every((key) => key.startsWith('results/'))).toBe(true);
});

test('Amazon S3: If-None-Match that is not kept lets two names win, and is refused at start', async () => {
  server.overlooks = true;
  const error = await failed(store.probe!());
  expect(error).toMatchObject({ code: 'unwritable' });
  expect(error.message).toContain('s3://plans/results does not keep "If-None-Match: *"');
});

test('does not know the condition: refused at start', async () => {
  await store.put(KEY, bytes);
  const probing = failed(store.probe!());
  server.answers('PUT', { status: 501, code: 'NotImplemented', message: 'A header that you provided' });
  expect((await probing).message).toMatch(/NotImplemented.*does not have what a result store needs/s);
});

test('loses an object: the probe says it, and so does everybody who enters something', async () => {
  server.forgets = true;
  expect((await failed(store.probe!())).message).toContain('does not have it a moment later');
});

test('has taken what it says it has not: what is there counts', async () => {
  const results = resultsIn(store, 'runs/o/c');
  expect(await results.enter('root/begun', bytes)).toEqual(bytes);
  // The answer to an own write was lost, and the next try is told that the key is taken.
  expect(await resultsIn(open(), 'runs/o/c').enter('root/begun', bytes)).toEqual(bytes);
  expect(await resultsIn(open(), 'runs/o/c').enter('root/begun', Buffer.from('another'))).toEqual(bytes);
});

test.each<[what: string, method: string, instead: Instead, words: readonly string[]]>([
  ['is read-only', 'PUT', { status: 403, code: 'AccessDenied' }, ['AccessDenied', 's3:PutObject']],
  [
    'is of another region',
    'PUT',
    { status: 301, code: 'PermanentRedirect', headers: { 'x-amz-bucket-region': 'eu-central-1' } },
    ['PermanentRedirect', 'the bucket is in eu-central-1', 'results.s3.region'],
  ],
  ['is not there', 'PUT', { status: 404, code: 'NoSuchBucket' }, ['NoSuchBucket', 'Make the bucket first']],
  ['is busy', 'PUT', { status: 503, code: 'SlowDown' }, ['SlowDown', 'it is tried again']],
  ['is full', 'PUT', { status: 507, code: 'XMinioStorageFull' }, ['XMinioStorageFull', 'make room']],
  ['has expired credentials', 'PUT', { status: 400, code: 'ExpiredToken' }, ['ExpiredToken', 'renewed ones']],
])('%s: a fault, which a run waits out', async (_what, method, instead, words) => {
  server.answers(method, instead);
  const error = await failed(store.put(KEY, bytes));
  expect(error).toMatchObject({ code: 'unwritable' });
  for (const word of ['s3://plans/results', ...words]) expect(error.message).toContain(word);
  expect(error.message).not.toContain('hush');
  expect(faultIn(error)).toBe(`the store: ${instead.code}`);
  server.answers(method, undefined);
  expect(await store.put(KEY, bytes)).toBe(true);
});

test('denies to say that something is not there: a fault, and no answer', async () => {
  server.answers('GET', { status: 403, code: 'AccessDenied' });
  const error = await failed(store.get(KEY));
  expect(error).toMatchObject({ code: 'unreadable' });
  expect(error.message).toContain('s3:ListBucket');
});

test('takes renewed credentials without a restart', async () => {
  server.answers('PUT', { status: 400, code: 'ExpiredToken' });
  await failed(store.put(KEY, bytes));
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'renewed');
  server.answers('PUT', undefined);
  await store.put(KEY, bytes);
  expect(server.seenKeys.at(-1)).toContain('renewed');
});

test('a package that is not installed is told with the command that does it', async () => {
  const missing = 'no-such-package';
  const error = await failed(optional(missing, 'A store', () => import(missing)));
  expect(error.code).toBe('not-installed');
  expect(error.message).toBe(`A store needs the package ${missing} beside planwright: npm install ${missing}`);
  const another: string = 'another-one';
  expect(await failed(optional(missing, 'A store', () => import(another)))).not.toBeInstanceOf(StoreError);
});
