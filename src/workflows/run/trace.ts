import type { Trace, StoredEntries } from './state.ts';
import type { PageRequest, TracedMessage, TraceEntry, TraceKind, TracePage } from '../../protocol/index.ts';
import { cutCharacters, visible } from '../../plan/text/index.ts';

type TraceEntries = Pick<Trace, 'stored' | 'last' | 'dropped'> & { readonly entries: readonly TraceEntry[] };

/** Maximum number of entries of each kind, so that many of one kind do not hide those of another. */
const MAX_ENTRIES: Readonly<Record<TraceKind, number>> = {
  compiled: 20_000,
  decision: 20_000,
  answer: 20_000,
  control: 20_000,
  closed: 20_000,
  /** @bound rejected messages in the trace @beyond further entries are dropped and counted */
  refused: 500,
  planned: 5000,
  asked: 5000,
  node: 5000,
  held: 500,
};
/** Maximum length of an entry's text, in characters. The entry's data have the whole message. */
const MAX_TEXT = 500;
/** Maximum bytes of a page. The server limits the answer to a query to 2 MiB. */
const PAGE_BYTES = 1_000_000;
const ENTRIES_PER_PAGE = 200;
const MAX_ENTRIES_PER_PAGE = 1000;

export function openTrace(): Trace {
  return { entries: [], stored: [], last: 0, counts: {}, dropped: 0 };
}

export function addEntry<What extends TraceKind>(
  trace: Trace,
  at: string,
  what: What,
  text: string,
  said?: TracedMessage<What>,
): void {
  const count = trace.counts[what] ?? 0;
  if (count >= MAX_ENTRIES[what]) {
    trace.dropped += 1;
    return;
  }
  trace.counts[what] = count + 1;
  trace.last += 1;
  const shown = cutCharacters(visible(text, { lines: true }), MAX_TEXT);
  const entry = { seq: trace.last, at, what, text: shown, ...(said !== undefined && { said }) };
  trace.entries.push(entry as TraceEntry);
}

/** A page of entries in order, beginning with the first `seq` above `after`. */
export function traceOf(trace: TraceEntries, page: PageRequest = {}): TracePage {
  const after = Number.isInteger(page.after) ? (page.after as number) : 0;
  const limit = Number.isInteger(page.limit)
    ? Math.min(Math.max(page.limit as number, 1), MAX_ENTRIES_PER_PAGE)
    : ENTRIES_PER_PAGE;
  const { dropped, last } = trace;
  const stored = trace.stored.find((one) => one.last > after);
  if (stored !== undefined) return { entries: [], dropped, stored: stored.ref, next: stored.last };
  const rest = trace.entries.filter(({ seq }) => seq > after);
  const entries: TraceEntry[] = [];
  let bytes = 0;
  for (const entry of rest) {
    // A character takes up to 3 bytes in UTF-8.
    bytes += 3 * JSON.stringify(entry).length;
    if (entries.length === limit || (bytes > PAGE_BYTES && entries.length > 0)) break;
    entries.push(entry);
  }
  const seq = entries.at(-1)?.seq;
  return { entries, dropped, ...(seq !== undefined && seq < last && { next: seq }) };
}

/** Maximum UTF-16 code units of JSON in a stored page, which is at most 1 MiB of UTF-8. */
const STORED_PAGE = 340_000;

/** Splits entries into pages for the store if their JSON has more than `most` code units; otherwise returns none. */
export function pagesToStore(
  { entries }: Pick<TraceEntries, 'entries'>,
  most: number,
): readonly (readonly TraceEntry[])[] {
  const pages: TraceEntry[][] = [];
  let total = 0;
  let size = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const length = JSON.stringify(entry).length + 1;
    total += length;
    if (size + length > STORED_PAGE) {
      pages.push([]);
      size = 0;
    }
    pages.at(-1)?.push(entry);
    size += length;
  }
  return total > most ? pages : [];
}

export function noteStored(trace: Trace, pages: readonly StoredEntries[]): void {
  const { entries } = withoutStored(trace, pages.at(-1)?.last);
  Object.assign(trace, { stored: [...trace.stored, ...pages], entries });
}

export function withoutStored(trace: Trace, last = 0): Trace {
  return { ...trace, entries: trace.entries.filter(({ seq }) => seq > last) };
}
