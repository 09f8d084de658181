/** Files of many records: what the memory of a process holds, and that others have a turn meanwhile. */

import v8 from 'node:v8';
import { describe, expect, test, vi } from 'vitest';
import { readTrack, writeResult, type ResultStore } from '../../src/store/index.ts';

describe('what the memory of the process holds', () => {
  const line = (at: number): string => `1\t.\tCDS\t${at * 9 + 1}\t${at * 9 + 5}\t.\t+\t.\tID=`;
  const COUNT = 10_000;
  const lines = (of: (at: number) => string): Buffer =>
    Buffer.from(Array.from({ length: COUNT }, (_, at) => of(at)).join('\n'));

  test.each<[string, string, Buffer]>([
    ['records of BED', 'x.bed', lines((at) => `chr1\t${at}\t${at + 5}\tp${at}`)],
    ['records of GFF3', 'x.gff3', lines((at) => `${line(at)}g${at}`)],
    ['ids', 'x.txt', lines((at) => `id${at}`)],
    ['long ids', 'x.txt', lines((at) => `${'x'.repeat(500)}${at}`)],
    [
      'JSON',
      'x.json',
      Buffer.from(
        JSON.stringify({ kind: 'set', records: Array.from({ length: COUNT }, (_, id) => ({ id: `${id}` })) }),
      ),
    ],
  ])('%s beyond it are refused, before the process dies of them', async (_, name, bytes) => {
    const heap = vi.spyOn(v8, 'getHeapStatistics');
    try {
      heap.mockReturnValue({ heap_size_limit: 600_000 } as ReturnType<typeof v8.getHeapStatistics>);
      expect(await readTrack(bytes, name, { id: 'name' })).toEqual({
        ok: false,
        issues: [{ line: 0, message: expect.stringMatching(/more than 0 MiB of memory, .*max-old-space-size/) }],
      });
      heap.mockReturnValue({ heap_size_limit: 60_000_000 } as ReturnType<typeof v8.getHeapStatistics>);
      expect(await readTrack(bytes, name, { id: 'name' })).toMatchObject({ ok: true });
    } finally {
      heap.mockRestore();
    }
  });
});

describe('others have a turn', () => {
  const lines = Array.from({ length: 150_000 }, (_, at) => (at * 2_654_435_761) % 2 ** 32);
  test.each<[string, string, () => string]>([
    ['BED', 'x.bed', () => lines.map((id, at) => `chr1\t${at}\t${at + 5}\tp${id}`).join('\n')],
    ['GFF3', 'x.gff3', () => lines.map((id, at) => `1\t.\tgene\t${at + 1}\t${at + 5}\t.\t+\t.\tID=g${id}`).join('\n')],
  ])('while %s is read and sorted, and while it is stored', async (_, name, text) => {
    const bytes = Buffer.from(text());
    const read = await turnsOf(() => readTrack(bytes, name, { id: 'name' }));
    // 7 steps of 20,000 lines; 5 runs that are sorted, and merged in three rounds.
    expect(read.turns).toBeGreaterThanOrEqual(7 + 5 + 3);
    if (!read.value.ok) throw new Error('no set');
    const set = read.value.set;
    const store = { put: () => Promise.resolve('ref') } as unknown as ResultStore;
    expect((await turnsOf(() => writeResult(store, { kind: 'set', set }))).turns).toBeGreaterThanOrEqual(1);
  });

  /** How often the event loop came round. */
  async function turnsOf<Value>(work: () => Promise<Value>): Promise<{ value: Value; turns: number }> {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      if (isOver) return;
      turns += 1;
      setImmediate(count);
    };
    setImmediate(count);
    const value = await work();
    isOver = true;
    return { value, turns };
  }
});
