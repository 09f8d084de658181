import { describe, expect, test } from 'vitest';
import { addEntry, openTrace, traceOf, type Trace, type TraceEntry } from '../../src/run/trace.ts';
import { AT } from './make-run.ts';

function traced(count: number, what: TraceEntry['what'] = 'decision', text = 'x'): Trace {
  const trace = openTrace();
  for (let i = 1; i <= count; i++) addEntry(trace, AT, what, `${text} ${i}`, { by: `p${i}` });
  return trace;
}

/** All entries, read page by page. */
function readOn(trace: Trace, limit?: number): { seqs: number[]; pages: number } {
  const seqs: number[] = [];
  let pages = 0;
  for (let after: number | undefined = 0; after !== undefined; pages += 1) {
    const page = traceOf(trace, { after, ...(limit !== undefined && { limit }) });
    seqs.push(...page.entries.map(({ seq }) => seq));
    after = page.next;
  }
  return { seqs, pages };
}

describe('the trace of a run', () => {
  test.each<[number, number | undefined, number]>([
    [0, undefined, 1],
    [1, 1, 1],
    [199, undefined, 1],
    [200, undefined, 1],
    [201, undefined, 2],
    [10, 3, 4],
    [3000, 1_000_000, 3],
    [5, -4, 5],
  ])('of %i entries is read whole in pages of %s', (count, limit, pages) => {
    const read = readOn(traced(count), limit);
    expect(read).toEqual({ seqs: Array.from({ length: count }, (_, i) => i + 1), pages });
  });

  test.each([
    {},
    { after: 'x' },
    { after: 0.5 },
    { after: null },
    { limit: 'x' },
    { limit: Number.NaN },
    { after: -3 },
  ])('survives the page %j', (page) => expect(traceOf(traced(3), page).entries).toHaveLength(3));

  test('past its end is empty', () => expect(traceOf(traced(3), { after: 99 })).toEqual({ entries: [], dropped: 0 }));

  test('keeps all that was taken and bounds what is only told, counting the rest', () => {
    const trace = traced(600, 'refused');
    for (let i = 0; i < 600; i++) addEntry(trace, AT, i % 2 === 0 ? 'control' : 'node', `${i}`);
    const entries = trace.entries.filter(({ what }) => what === 'control');
    expect([entries.length, trace.entries.length, trace.dropped]).toEqual([300, 800, 400]);
    expect(traceOf(trace).dropped).toBe(400);
    expect(trace.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 800 }, (_, i) => i + 1));
  });

  test('gives pages that fit the answer to a query, however long the entries are', () => {
    const trace = openTrace();
    const nodes = Array.from({ length: 10_000 }, (_, i) => `node_${i + 1}`);
    for (let i = 0; i < 30; i++)
      addEntry(trace, AT, 'decision', '中'.repeat(3000), { by: '中'.repeat(200), comment: '中'.repeat(2000), nodes });
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = traceOf(trace, { after, limit: 1000 });
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(1_500_000);
      expect(page.entries.length).toBeGreaterThan(0);
      after = page.next;
    }
    expect(readOn(trace, 1000).seqs).toHaveLength(30);
  });

  test('is a line of JSON per entry', () => {
    for (const entry of traced(3).entries) expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
  });
});
