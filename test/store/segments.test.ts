/** Segments of the file store: one write for many results, and what is read of a segment that was cut, changed or taken away. */

import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFileStore, StoreError, type ResultStore } from '../../src/store/index.ts';
import { digestOf, refOfBytes } from '../../src/store/refs.ts';
import { createPositions } from '../../src/store/segments/positions.ts';
import { mountSmallDisk } from '../faults/disk.ts';

let dir: string;
let store: ResultStore;

beforeEach(async ({ onTestFinished }) => {
  dir = await mkdtemp(join(tmpdir(), 'planwright-segments-'));
  store = createFileStore(join(dir, 'results'));
  // Behind a disk that a test mounts in it.
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
});
afterEach(() => vi.restoreAllMocks());

const bytesOf = (n: number) => Buffer.from(`result ${n} `.repeat(1 + (n % 7)));
const nameOf = (n: number) => `name ${n}`;
const valueOf = (n: number) => Buffer.from(`value ${n}`);
const numbers = (many: number) => Array.from({ length: many }, (_, n) => n);
const folder = () => join(store.place, 'segments');
const segmentsOf = () => readdir(folder()).catch(() => []);

/** `many` objects and as many kept values, called for in one turn. */
const write = (many: number, by = store, from = 0) =>
  Promise.all(numbers(many).flatMap((n) => [by.put(bytesOf(from + n)), by.keep(nameOf(from + n), valueOf(from + n))]));

async function onlySegment(): Promise<string> {
  const [name = '', ...more] = await segmentsOf();
  expect(more).toEqual([]);
  return join(folder(), name);
}

/** `there`, or the code of the error; `none` for no kept value. Anything else is wrong bytes. */
async function stateOf(by: ResultStore, n: number): Promise<{ readonly object: string; readonly kept: string }> {
  const told = (error: unknown) => (error instanceof StoreError ? error.code : String(error));
  const object = by.get(refOfBytes(bytesOf(n))).then(() => 'there', told);
  const kept = by
    .kept(nameOf(n))
    .then(
      (values) =>
        values.length === 0 ? 'none' : values.length === 1 && valueOf(n).equals(values[0]!) ? 'there' : 'wrong',
      told,
    );
  return { object: await object, kept: await kept };
}

describe('a group', () => {
  test('is one write and one fdatasync, whatever its calls', async () => {
    await write(8);
    const file = await open(await onlySegment());
    const handle = Object.getPrototypeOf(file) as Pick<typeof file, 'write' | 'datasync' | 'sync'>;
    await file.close();
    const spies = (['write', 'datasync', 'sync'] as const).map((call) => vi.spyOn(handle, call));
    await write(500, store, 100);
    expect(spies.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
    expect(await readdir(store.place)).toEqual(['segments']);
  });

  test('of fewer than 8 goes as files, and leaves no segment', async () => {
    await Promise.all([
      ...numbers(4).map((n) => store.put(bytesOf(n))),
      ...numbers(3).map((n) => store.keep(nameOf(n), valueOf(n))),
    ]);
    expect((await readdir(store.place)).toSorted()).toEqual(['kept', 'objects']);
    const values = await readdir(join(store.place, 'kept'), { recursive: true, withFileTypes: true });
    expect(
      values
        .filter((one) => one.isFile())
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(
      numbers(3)
        .map((n) => refOfBytes(valueOf(n)))
        .toSorted(),
    );
    expect(await stateOf(createFileStore(store.place), 2)).toEqual({ object: 'there', kept: 'there' });
  });

  test('is what came while one was being committed', async () => {
    const first = store.put(bytesOf(0));
    // From here on the first is under way.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([first, ...numbers(20).map(async (n) => (await Promise.resolve(), store.put(bytesOf(n + 1))))]);
    expect(await segmentsOf()).toHaveLength(1);
  });

  test('does not write what a segment has', async () => {
    await write(10);
    const before = await readFile(await onlySegment());
    await write(10);
    expect((await readFile(await onlySegment())).length).toBe(before.length);
  });

  test('has its objects before its kept values, and a large object before both', async () => {
    const large = Buffer.alloc(70_000, 'x');
    const done: string[] = [];
    await Promise.all([
      store.keep('before', valueOf(0)).then(() => done.push('before')),
      store.put(large).then(() => done.push('large')),
      store.keep('large', valueOf(0)).then(() => done.push('its value')),
      ...numbers(8).map((n) => store.put(bytesOf(n))),
    ]);
    expect(done.indexOf('large')).toBeLessThan(done.indexOf('its value'));
    const segment = await readFile(await onlySegment());
    const objectsEnd = Math.max(...numbers(8).map((n) => segment.indexOf(bytesOf(n))));
    expect(segment.indexOf(valueOf(0))).toSatisfy((at: number) => at === -1 || at > objectsEnd);
  });
});

test('a process that writes one object and reads a file looks at no segment', async () => {
  const ref = await store.put(bytesOf(1));
  await writeFile(folder(), 'no folder');
  const other = createFileStore(store.place);
  expect(await other.put(bytesOf(2))).toBe(refOfBytes(bytesOf(2)));
  expect(Buffer.from(await other.get(ref))).toEqual(bytesOf(1));
  await expect(other.get(refOfBytes(bytesOf(3)))).rejects.toMatchObject({ code: 'unreadable' });
});

describe('a segment', () => {
  const MANY = 12;

  test('that was cut anywhere has what stands before the cut, and of the rest nothing', async () => {
    await write(MANY);
    const path = await onlySegment();
    const whole = await readFile(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length), fc.boolean(), async (at, hasZeros) => {
        await writeFile(path, Buffer.concat([whole.subarray(0, at), Buffer.alloc(hasZeros ? 500 : 0)]));
        const other = createFileStore(store.place);
        for (const n of [0, 5, MANY - 1]) {
          const { object, kept } = await stateOf(other, n);
          const [objectEnd, keptEnd] = [whole.indexOf(bytesOf(n)) + bytesOf(n).length, endOf(whole, valueOf(n))];
          // Zeros behind a cut header or entry may stand where bytes did.
          const isUnsure = hasZeros && at < whole.length;
          expect(object).toEqual(
            objectEnd <= at ? 'there' : isUnsure ? expect.stringMatching(/not-found|corrupt/) : 'not-found',
          );
          expect(kept).toEqual(keptEnd <= at ? 'there' : isUnsure ? expect.stringMatching(/none|corrupt/) : 'none');
        }
      }),
      { numRuns: 60 },
    );
  });

  test('in which any byte was flipped says so in place of "there is none", and hides no other entry', async () => {
    await write(MANY);
    const path = await onlySegment();
    const whole = await readFile(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const flipped = Buffer.from(whole);
        flipped[at] = flipped[at]! ^ mask;
        await writeFile(path, flipped);
        const other = createFileStore(store.place);
        const states = (await Promise.all(numbers(MANY).map((n) => stateOf(other, n)))).flatMap((one) => [
          one.object,
          one.kept,
        ]);
        expect(states.filter((state) => state === 'corrupt')).toHaveLength(1);
        expect(states.filter((state) => state === 'there')).toHaveLength(2 * MANY - 1);
      }),
      { numRuns: 60 },
    );
  });

  test('that was changed is named, with what to do; a miss is none then, and moving it away ends that', async () => {
    await write(MANY);
    const path = await onlySegment();
    const whole = await readFile(path);
    const other = createFileStore(store.place);
    await writeFile(path, Buffer.from(whole).fill(0xff, 0, 4));
    const nothing = { object: 'corrupt', kept: 'corrupt' };
    expect(await stateOf(other, 99)).toEqual(nothing);
    await expect(other.kept('nothing')).rejects.toThrow(`${path} was changed at byte 0`);
    await expect(other.kept('nothing')).rejects.toThrow(/Restore the file from a copy, or move it out of the store/);
    // It is mended in place.
    await writeFile(path, whole);
    expect(await stateOf(other, 99)).toEqual({ object: 'not-found', kept: 'none' });
    expect(await stateOf(other, 0)).toEqual({ object: 'there', kept: 'there' });
    await rename(path, join(dir, 'aside'));
    expect(await stateOf(other, 0)).toEqual({ object: 'not-found', kept: 'none' });
  });

  test('that is changed under a process that has read it', async () => {
    await write(MANY);
    const path = await onlySegment();
    const whole = await readFile(path);
    const at = whole.indexOf(bytesOf(0));
    await writeFile(path, Buffer.from(whole).fill(0xff, at - 52, at - 48));
    expect(await stateOf(store, 0)).toEqual({ object: 'corrupt', kept: 'there' });
    await store.put(bytesOf(0));
    expect(await stateOf(store, 0)).toEqual({ object: 'there', kept: 'there' });
  });

  test('with a changed value or object is mended by whoever has the bytes', async () => {
    await write(MANY);
    const path = await onlySegment();
    const flipped = await readFile(path);
    for (const bytes of [bytesOf(3), valueOf(3)]) flipped[endOf(flipped, bytes) - 1]! ^= 1;
    await writeFile(path, flipped);
    const other = createFileStore(store.place);
    expect(await stateOf(other, 3)).toEqual({ object: 'corrupt', kept: 'corrupt' });
    await write(4, other);
    expect(await stateOf(other, 3)).toEqual({ object: 'there', kept: 'there' });
    expect(await stateOf(createFileStore(store.place), 3)).toEqual({ object: 'there', kept: 'there' });
  });

  test('is longer than a piece that is read at once', async () => {
    const many = numbers(60).map((n) => Buffer.alloc(60_000, n + 1));
    await Promise.all(many.map((bytes) => store.put(bytes)));
    const path = await onlySegment();
    const whole = await readFile(path);
    const header = 30 * (60_000 + 52);
    await writeFile(path, Buffer.from(whole).fill(0xff, header, header + 52));
    const other = createFileStore(store.place);
    const codes = await Promise.all(
      many.map((bytes) =>
        other.get(refOfBytes(bytes)).then(
          () => 'there',
          (error: StoreError) => error.code,
        ),
      ),
    );
    expect(codes).toEqual(many.map((_, n) => (n === 30 ? 'corrupt' : 'there')));
  });

  test('of somebody else, and what is no segment, does not count', async () => {
    await mkdir(folder(), { recursive: true });
    await writeFile(join(folder(), 'notes.txt'), 'x'.repeat(200));
    expect(await stateOf(store, 0)).toEqual({ object: 'not-found', kept: 'none' });
  });
});

describe('a disk', () => {
  test('that is full fails all of a group and nothing later, and leaves no torn entry or spare file', async (context) => {
    const disk = await mountSmallDisk(store.place);
    if (disk === undefined) return void context.skip('mounting a small disk takes root on Linux');
    await write(10);
    await disk.fill();
    for (let time = 0; time < 5; time += 1) {
      const failed = await Promise.allSettled(numbers(200).map((n) => store.put(Buffer.alloc(5000, n + 1))));
      expect(
        new Set(failed.map((one) => (one.status === 'rejected' ? (one.reason as StoreError).code : 'stored'))),
      ).toEqual(new Set(['unwritable']));
    }
    expect(await segmentsOf()).toHaveLength(1);
    await expect(store.get(refOfBytes(Buffer.alloc(5000, 1)))).rejects.toMatchObject({ code: 'not-found' });
    await disk.free();
    await write(20, store, 100);
    for (const by of [store, createFileStore(store.place)]) {
      for (const n of [0, 9, 100, 119]) expect(await stateOf(by, n)).toEqual({ object: 'there', kept: 'there' });
    }
    await onlySegment();
  });

  test('that is read-only is read, and says that it cannot be written', async (context) => {
    const disk = await mountSmallDisk(store.place);
    if (disk === undefined) return void context.skip('mounting a small disk takes root on Linux');
    await write(10);
    disk.setWritable(false);
    await expect(write(10, store, 50)).rejects.toMatchObject({ code: 'unwritable' });
    await expect(store.keep('one', valueOf(1))).rejects.toMatchObject({ code: 'unwritable' });
    expect(await stateOf(createFileStore(store.place), 9)).toEqual({ object: 'there', kept: 'there' });
    disk.setWritable(true);
    await write(10, store, 50);
    expect(await stateOf(createFileStore(store.place), 50)).toEqual({ object: 'there', kept: 'there' });
  });

  test('on which nothing could be cut off again has a new segment behind a torn one', async () => {
    await write(10);
    const torn = await onlySegment();
    await writeFile(torn, 'torn', { flag: 'a' });
    await write(10, store, 50);
    expect(await segmentsOf()).toHaveLength(2);
    for (const n of [0, 59])
      expect(await stateOf(createFileStore(store.place), n)).toEqual({ object: 'there', kept: 'there' });
  });
});

test('a million positions take less than 48 bytes each, and each is found', () => {
  const positions = createPositions();
  const many = 1_000_000;
  const keyOf = (n: number) => digestOf(String(n % (many / 2)));
  for (let n = 0; n < many; n += 1)
    positions.add(n < many / 2 ? 'object' : 'kept', keyOf(n), { segment: n % 3, offset: n });
  expect(positions.bytes / many).toBeLessThan(48);
  for (let n = 0; n < many; n += 997) {
    expect(positions.find(n < many / 2 ? 'object' : 'kept', keyOf(n))).toEqual([{ segment: n % 3, offset: n }]);
  }
  expect(positions.find('object', digestOf('nothing'))).toEqual([]);
});

function endOf(segment: Buffer, bytes: Buffer): number {
  return segment.indexOf(bytes) + bytes.length;
}
