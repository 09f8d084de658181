/** The trace of a run: what is kept of it, the pages in which it is read, and what of it goes into the store. */

import type { Trace } from '../../../src/workflows/run/state.ts';
import { describe, expect, test } from 'vitest';
import { TRACE_KINDS, type TracedDecision, type TraceEntry, type TraceKind } from '../../../src/protocol/index.ts';
import { addEntry, noteStored, openTrace, pagesToStore, traceOf } from '../../../src/workflows/run/trace.ts';
import { AT } from './make-run.ts';

const SAID: TracedDecision = { kind: 'approve', by: 'operator', digest: 'd', revision: 1, verified: false };

function traced(count: number, what: TraceKind = 'decision', text = 'x'): Trace {
  const trace = openTrace();
  for (let i = 1; i <= count; i++) addEntry(trace, AT, what, `${text} ${i}`, { ...SAID, by: `p${i}` });
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

  const MOST: Record<TraceEntry['what'], number> = {
    compiled: 20_000,
    decision: 20_000,
    answer: 20_000,
    control: 20_000,
    refused: 500,
    planned: 5000,
    asked: 5000,
    node: 5000,
    held: 500,
    closed: 20_000,
  };
  test.each(TRACE_KINDS)('keeps of 25,000 entries of the kind %s what its budget says, and counts the rest', (what) => {
    const trace = traced(25_000, what);
    expect([trace.entries.length, trace.dropped]).toEqual([MOST[what], 25_000 - MOST[what]]);
    expect(traceOf(trace).dropped).toBe(25_000 - MOST[what]);
    expect(trace.entries.map(({ seq }) => seq)).toEqual(Array.from({ length: MOST[what] }, (_, i) => i + 1));
    // What one kind has used up hides no other.
    for (const other of TRACE_KINDS) if (other !== what) addEntry(trace, AT, other, 'x');
    expect(trace.entries.length).toBe(MOST[what] + TRACE_KINDS.length - 1);
  });

  test('cuts a text, and keeps what was said with it as it is', () => {
    const trace = openTrace();
    const said = { ...SAID, comment: 'c'.repeat(2000) };
    addEntry(trace, AT, 'decision', 'x'.repeat(2000), said);
    expect(trace.entries).toEqual([{ seq: 1, at: AT, what: 'decision', text: `${'x'.repeat(499)}…`, said }]);
  });

  test('gives pages that fit the answer to a query, however long the entries are', () => {
    const trace = openTrace();
    const nodes = Array.from({ length: 10_000 }, (_, i) => `node_${i + 1}`);
    for (let i = 0; i < 30; i++)
      addEntry(trace, AT, 'decision', '中'.repeat(3000), {
        ...SAID,
        by: '中'.repeat(200),
        comment: '中'.repeat(2000),
        nodes,
      });
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

describe('the trace of a run that goes on in a new history', () => {
  /** Moves what is too long into a store, as a run does. */
  function stored(trace: Trace, most: number): Map<string, readonly TraceEntry[]> {
    const store = new Map<string, readonly TraceEntry[]>();
    for (const page of pagesToStore(trace, most)) {
      const ref = `page ${trace.stored.length}`;
      store.set(ref, page);
      noteStored(trace, [{ ref, last: page.at(-1)?.seq ?? 0 }]);
    }
    return store;
  }

  test('travels with it as long as it is short', () => {
    const trace = traced(10);
    const length = JSON.stringify(trace.entries).length - 1;
    expect(pagesToStore(trace, length)).toEqual([]);
    expect(pagesToStore(trace, length - 1)).toEqual([trace.entries]);
    expect(pagesToStore(openTrace(), 0)).toEqual([]);
  });

  test('goes into the store in pages that a payload can hold, of which none is empty', () => {
    const trace = traced(9000, 'decision', 'x'.repeat(400));
    const pages = pagesToStore(trace, 65_536);
    expect(pages.flat()).toEqual(trace.entries);
    expect(pages.length).toBeGreaterThan(5);
    for (const page of pages) {
      expect(page.length).toBeGreaterThan(0);
      expect(JSON.stringify(page).length).toBeLessThan(341_000);
    }
  });

  test('is read whole, stored pages first, and goes on counting', () => {
    const trace = traced(3000, 'decision', 'x'.repeat(400));
    const store = stored(trace, 65_536);
    expect(trace.entries).toEqual([]);
    for (let i = 3001; i <= 3300; i++) addEntry(trace, AT, 'control', `${i}`);
    for (const [ref, page] of stored(trace, 10_000)) store.set(`late ${ref}`, page);
    for (let i = 3301; i <= 3310; i++) addEntry(trace, AT, 'control', `${i}`);
    const seqs: number[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = traceOf(trace, { after });
      const entries =
        page.stored === undefined ? page.entries : (store.get(page.stored) ?? store.get(`late ${page.stored}`));
      seqs.push(...entries!.map(({ seq }) => seq));
      if (page.stored !== undefined) expect([page.entries, page.next]).toEqual([[], entries!.at(-1)!.seq]);
      after = page.next;
    }
    expect(seqs).toEqual(Array.from({ length: 3310 }, (_, i) => i + 1));
  });

  test('keeps to its budgets, however often it is stored', () => {
    const trace = traced(400, 'refused');
    stored(trace, 0);
    for (let i = 0; i < 400; i++) addEntry(trace, AT, 'refused', 'x');
    expect([trace.entries.length, trace.dropped, trace.last]).toEqual([100, 300, 500]);
  });
});
