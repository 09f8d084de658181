/**
 * A process with one store open, told over Node's channel what to do with pairs of a small result and what is kept of its node:
 * `{ write: [from, many] }`, `{ read: [from, many] }`, and `{ pour: atOnce }`, which writes without an end.
 */

import { createHash } from 'node:crypto';
import { createFileStore, hashOf, resultsIn } from '../../src/store/index.ts';

/** The common ground of the stores. `object` gives undefined for what is not there. */
interface Pairs {
  pair(ref: string, bytes: Buffer, name: string, value: Buffer): Promise<void>;
  object(ref: string): Promise<Uint8Array | undefined>;
  kept(name: string): Promise<readonly Uint8Array[]>;
}

const { KIND = '', FOLDER = '', MARK = '', PEERS = '' } = process.env;
const tell = (what: object) => void process.send?.(what);
const refOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64url');
const bytesOf = (n: number) => Buffer.from(`{"kind":"set","ids":["${MARK}-${n}"]}`.repeat(6));
const valueOf = (n: number) => Buffer.from(`{"handle":{"ref":"${refOf(bytesOf(n))}"},"retry":0}`.repeat(2));

const store = await (KIND === 'segments' ? segments() : peer());
const pair = (n: number) => store.pair(refOf(bytesOf(n)), bytesOf(n), `done/${MARK}/${n}`, valueOf(n));
process.on('message', (order: Record<string, unknown>) => {
  carryOut(order).catch((error: unknown) => tell({ failed: error instanceof Error ? error.message : String(error) }));
});
process.on('disconnect', () => process.exit());
tell({ ready: true });

async function carryOut({ write, read, pour }: Record<string, unknown>): Promise<void> {
  if (Array.isArray(write)) {
    const began = performance.now();
    await Promise.all(numbers(write).map(pair));
    tell({ ms: performance.now() - began });
  } else if (Array.isArray(read)) {
    tell(await whatIsThere(numbers(read)));
  } else {
    let next = 0;
    const work = async () => {
      for (let n = next++; ; n = next++) {
        await pair(n);
        tell({ poured: n });
      }
    };
    await Promise.all(Array.from({ length: Number(pour) }, work));
  }
}

/** `wrong` is what a store gave as if it were whole: a digest would tell a wrong object, and nothing a wrong value. */
async function whatIsThere(all: readonly number[]) {
  const found = { whole: 0, missing: 0, errors: 0, wrong: 0, error: '' };
  const count = async (isWhole: () => Promise<boolean | undefined>) => {
    try {
      const whole = await isWhole();
      found[whole === undefined ? 'missing' : whole ? 'whole' : 'wrong'] += 1;
    } catch (error) {
      found.errors += 1;
      found.error ||= error instanceof Error ? error.message.slice(0, 100) : String(error);
    }
  };
  for (const n of all) {
    await count(async () => {
      const bytes = await store.object(refOf(bytesOf(n)));
      return bytes && bytesOf(n).equals(bytes);
    });
    await count(async () => {
      const [value] = await store.kept(`done/${MARK}/${n}`);
      return value && valueOf(n).equals(value);
    });
  }
  return found;
}

function numbers([from, many]: readonly number[]): readonly number[] {
  return Array.from({ length: many ?? 0 }, (_, n) => (from ?? 0) + n);
}

async function segments(): Promise<Pairs> {
  const files = resultsIn(createFileStore(FOLDER), 'bench');
  const named = (name: string) => `done/${hashOf(name)}`;
  return {
    pair: (_, bytes, name, value) => files.putTogether([[bytes], [value, named(name)]]),
    object: (ref) =>
      files.get(ref).catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'not-found') return undefined;
        throw error;
      }),
    kept: async (name) => [await files.entry(named(name))].filter((one) => one !== undefined),
  };
}

async function peer(): Promise<Pairs> {
  const { STORES } = (await import(PEERS)) as { STORES: Record<string, (folder: string) => Promise<Pairs>> };
  return STORES[KIND]!(FOLDER);
}
