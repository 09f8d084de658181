/** What happened to a run, in words and as data: its audit. */

/** Everything that was said to the run and taken, as data: who, in which role, what, to which plan. */
export type Said = Readonly<Record<string, unknown>>;

export interface TraceEntry {
  /** Counts from 1. */
  readonly seq: number;
  /** ISO 8601: when the run heard or did it. */
  readonly at: string;
  readonly what: 'compiled' | 'decision' | 'answer' | 'control' | 'refused' | 'asked' | 'node' | 'closed';
  readonly text: string;
  readonly said?: Said;
}

export interface Trace {
  readonly entries: TraceEntry[];
  /** Entries of the kinds that may be dropped. */
  droppable: number;
  dropped: number;
}

/** What was taken is always kept; of what is only told, so much, since a run must not grow with what is thrown at it. */
const MAX_TOLD = 500;
const KEPT: readonly TraceEntry['what'][] = ['compiled', 'decision', 'answer', 'control', 'closed'];
const MAX_TEXT = 500;
/** The answer to a query is at most 2 MiB. */
const PAGE_BYTES = 1_000_000;
const ENTRIES_PER_PAGE = 200;
const MAX_ENTRIES_PER_PAGE = 1000;

export interface TracePage {
  readonly entries: readonly TraceEntry[];
  /** Entries that were not kept. */
  readonly dropped: number;
  /** Give it as `after` to read on; absent on the last page. */
  readonly next?: number;
}

export function openTrace(): Trace {
  return { entries: [], droppable: 0, dropped: 0 };
}

export function addEntry(trace: Trace, at: string, what: TraceEntry['what'], text: string, said?: Said): void {
  const kept = KEPT.includes(what);
  if (!kept && trace.droppable >= MAX_TOLD) {
    trace.dropped += 1;
    return;
  }
  if (!kept) trace.droppable += 1;
  const seq = (trace.entries.at(-1)?.seq ?? 0) + 1;
  trace.entries.push({ seq, at, what, text: text.slice(0, MAX_TEXT), ...(said !== undefined && { said }) });
}

/** A page in order. `after` is the `seq` of the last entry that is known. */
export function traceOf(trace: Trace, page: { after?: unknown; limit?: unknown } = {}): TracePage {
  const after = Number.isInteger(page.after) ? (page.after as number) : 0;
  const limit = Number.isInteger(page.limit)
    ? Math.min(Math.max(page.limit as number, 1), MAX_ENTRIES_PER_PAGE)
    : ENTRIES_PER_PAGE;
  const rest = trace.entries.filter(({ seq }) => seq > after);
  const entries: TraceEntry[] = [];
  let bytes = 0;
  for (const entry of rest) {
    // A character takes up to 3 bytes of UTF-8.
    bytes += 3 * JSON.stringify(entry).length;
    if (entries.length === limit || (bytes > PAGE_BYTES && entries.length > 0)) break;
    entries.push(entry);
  }
  const last = entries.at(-1)?.seq;
  const more = entries.length < rest.length && last !== undefined;
  return { entries, dropped: trace.dropped, ...(more && { next: last }) };
}
