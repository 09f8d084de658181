/** A bucket that does not do what it should: each thing in a clear word, nothing lost, nothing twice. */

import { beforeEach, expect, test, vi } from 'vitest';
import { createS3Store, StoreError, type OpenedStore } from '../../src/store/index.ts';
import { optional } from '../../src/store/missing-package.ts';
import { refOfBytes } from '../../src/store/refs.ts';
import { faultIn } from '../../src/activities/faults.ts';
import { startFalseS3, type FalseS3, type Instead } from '../support/s3-server.ts';

let server: FalseS3;
let store: OpenedStore;
const bytes = Buffer.from('a result');
const ref = refOfBytes(bytes);

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
  expect(await store.put(bytes)).toBe(ref);
  expect(Buffer.from(await open().get(ref))).toEqual(bytes);
  expect([...server.objects.keys()].every((key) => key.startsWith('results/'))).toBe(true);
});

test('Amazon S3: If-None-Match that is not kept lets two names win, and is refused at start', async () => {
  server.overlooks = true;
  const error = await failed(store.probe!());
  expect(error).toMatchObject({ code: 'unwritable' });
  expect(error.message).toContain('s3://plans/results does not keep "If-None-Match: *"');
});

test('does not know the condition: refused at start', async () => {
  await store.put(bytes);
  const probing = failed(store.probe!());
  server.answers('PUT', { status: 501, code: 'NotImplemented', message: 'A header that you provided' });
  expect((await probing).message).toMatch(/NotImplemented.*does not have what a result store needs/s);
});

test('loses an object: the probe says it, and so does everybody who asks for it', async () => {
  server.forgets = true;
  expect((await failed(store.probe!())).message).toContain('has taken an object and does not have it a moment later');
  expect(await failed(store.get(await store.put(bytes)))).toMatchObject({ code: 'not-found' });
  const bound = await failed(store.bind('name', ref));
  expect(bound).toMatchObject({ code: 'unreadable' });
  expect(bound.message).toContain('was told a name');
});

test('answers two with yes: the name that is there counts', async () => {
  server.overlooks = true;
  const other = refOfBytes(Buffer.from('another'));
  expect(await store.bind('name', ref)).toBe(ref);
  expect(await open().bind('name', other)).toBe(ref);
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
  for (const work of [() => store.put(bytes), () => store.keep('name', bytes), () => store.bind('name', ref)]) {
    const error = await failed(work());
    expect(error).toMatchObject({ code: 'unwritable' });
    for (const word of ['s3://plans/results', ...words]) expect(error.message).toContain(word);
    expect(error.message).not.toContain('hush');
    expect(faultIn(error)).toBe(`the store: ${instead.code}`);
  }
  server.answers(method, undefined);
  expect(await store.bind('name', await store.put(bytes))).toBe(ref);
  await store.keep('name', bytes);
  expect(await open().kept('name')).toHaveLength(1);
});

test('denies to say that something is not there: a fault, and no answer', async () => {
  server.answers('GET', { status: 403, code: 'AccessDenied' });
  const error = await failed(store.get(ref));
  expect(error).toMatchObject({ code: 'unreadable' });
  expect(error.message).toContain('s3:ListBucket');
  expect(await failed(store.bound('name'))).toMatchObject({ code: 'unreadable' });
  expect(await failed(store.kept('name'))).toMatchObject({ code: 'unreadable' });
});

test('takes renewed credentials without a restart', async () => {
  server.answers('PUT', { status: 400, code: 'ExpiredToken' });
  await failed(store.put(bytes));
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'renewed');
  server.answers('PUT', undefined);
  await store.put(bytes);
  expect(server.seenKeys.at(-1)).toContain('renewed');
});

test('has a changed object: it is corrupt, and mended by who has the bytes', async () => {
  await store.put(bytes);
  const [key = ''] = server.objects.keys();
  for (const damage of [Buffer.from('a resulT'), bytes.subarray(0, 3), Buffer.alloc(0)]) {
    server.objects.set(key, damage);
    const error = await failed(open().get(ref));
    expect(error).toMatchObject({ code: 'corrupt' });
    expect(error.message).toContain(key.slice('results/'.length));
    await open().put(bytes);
    expect(Buffer.from(await open().get(ref))).toEqual(bytes);
  }
});

test('has a changed value and a changed name', async () => {
  await store.keep('name', bytes);
  await store.bind('name', ref);
  for (const key of server.objects.keys()) server.objects.set(key, Buffer.from('something else'));
  expect(await failed(store.kept('name'))).toMatchObject({ code: 'corrupt' });
  expect(await failed(store.bound('name'))).toMatchObject({ code: 'corrupt' });
});

test('reads an object of an earlier week, and its newest copy where there are several', async () => {
  await store.put(bytes);
  const [key = ''] = server.objects.keys();
  server.objects.delete(key);
  server.objects.set(key.replace(/\d+$/, '00001'), Buffer.from('damaged'));
  server.objects.set(key.replace(/\d+$/, '00002'), bytes);
  expect(Buffer.from(await open().get(ref))).toEqual(bytes);
});

test('a package that is not installed is told with the command that does it', async () => {
  const missing = 'no-such-package';
  const error = await failed(optional(missing, 'A store', () => import(missing)));
  expect(error.code).toBe('not-installed');
  expect(error.message).toBe(`A store needs the package ${missing} beside planwright: npm install ${missing}`);
  const another: string = 'another-one';
  expect(await failed(optional(missing, 'A store', () => import(another)))).not.toBeInstanceOf(StoreError);
});
