import { isRecord } from '../protocol/index.ts';
import { createSetBuilder, records, STRAND_OF_SYMBOL, STRAND_SYMBOLS } from '../plan/algebra/index.ts';
import { briefJson, listNames } from '../plan/text/index.ts';
import type { ResultLocation, ResultRecord, ResultSet, SetSource } from '../plan/algebra/index.ts';

/** A record. Positions are 1-based, both ends inclusive. A record without location has none of the four fields. */
export interface RecordJson {
  readonly id: string;
  readonly sequence?: string;
  readonly start?: number;
  readonly stop?: number;
  readonly strand?: '+' | '-' | '.';
  readonly matches?: number;
}

/** A result set as JSON for people and scripts. `fromResultJson` reads it. */
export interface ResultJson {
  readonly ok: true;
  readonly kind: 'set';
  readonly recordType: string | null;
  readonly count: number;
  /** The file that the set was read from. `fromResultJson` ignores it, since its set comes from the JSON. */
  readonly source?: SetSource;
  readonly records: readonly RecordJson[];
}

/** The set in a JSON document, or why there is none. `notes` name keys that a set cannot represent. */
export type ReadResultJson =
  | { readonly ok: true; readonly set: ResultSet; readonly notes: readonly string[] }
  | { readonly ok: false; readonly message: string };

/**
 * The ids in order, one per line, without a final line end.
 * @example toIdLines(createSet([{ id: 'b' }, { id: 'a' }])); // 'a\nb'
 */
export function toIdLines(set: ResultSet): string {
  return set.ids.join('\n');
}

/**
 * Converts a set to JSON for people and programs. `combine -o json` prints it.
 * @example toResultJson(createSet([{ id: 'a' }])); // { ok: true, kind: 'set', recordType: null, count: 1, records: [{ id: 'a' }] }
 */
export function toResultJson(set: ResultSet): ResultJson {
  return { ...resultHead(set), records: [...recordJsons(set)] };
}

export function resultHead({ recordType, ids, source }: ResultSet): Omit<ResultJson, 'records'> {
  return { ok: true, kind: 'set', recordType, count: ids.length, ...(source !== undefined && { source }) };
}

export function* recordJsons(set: ResultSet): Generator<RecordJson, void, undefined> {
  let row = 0;
  for (const { id, location } of records(set)) {
    yield {
      id,
      ...(location !== undefined && { ...location, strand: STRAND_SYMBOLS[location.strand] }),
      ...(set.matches !== undefined && { matches: set.matches[row]! }),
    };
    row += 1;
  }
}

/**
 * Reads a parsed document of `toResultJson`. Records may have any order; `count`, `recordType`, strands are optional.
 * @example fromResultJson({ kind: 'set', records: [{ id: 'b' }, { id: 'a' }] }); // { ok: true, set, notes: [] }
 */
export function fromResultJson(document: unknown): ReadResultJson {
  if (!isRecord(document) || document['kind'] !== 'set' || !Array.isArray(document['records'])) {
    return refuse('expected an object with "kind": "set" and a list "records"');
  }
  const { recordType = null, count } = document;
  const list: readonly unknown[] = document['records'];
  if (recordType !== null && typeof recordType !== 'string') return refuse('recordType is neither a text nor null');
  if (count !== undefined && count !== list.length) {
    return refuse(`count is ${briefJson(count)} and there are ${list.length} records; the list may have been cut`);
  }
  const builder = createSetBuilder(recordType);
  const unknown = new Set<string>();
  const matches: unknown[] = [];
  for (const [index, entry] of list.entries()) {
    const read = readRecord(entry);
    if (typeof read === 'string') return refuse(`records[${index}]: ${read}`);
    const added = builder.add(read);
    if (!added.ok) return refuse(`records[${index}]: ${added.message}`);
    if (added.repeated) return refuse(`records[${index}]: the id "${read.id}" was there before`);
    const record = entry as Readonly<Record<string, unknown>>;
    matches.push(record['matches']);
    for (const key of Object.keys(record)) if (!KEYS.has(key)) unknown.add(key);
  }
  const set = builder.build();
  const notes =
    unknown.size === 0
      ? []
      : [`These keys of records have no place in a set and were left out: ${listNames([...unknown])}.`];
  if (matches.every((value) => value === undefined)) return { ok: true, set, notes };
  const odd = matches.findIndex((value) => typeof value !== 'number' || value >>> 0 !== value);
  if (odd !== -1)
    return refuse(
      `records[${odd}]: matches is ${briefJson(matches[odd])}; where one record has matches all have, each a count`,
    );
  return { ok: true, set: { ...set, matches: inOrderOf(set, list, matches as number[]) }, notes };
}

const KEYS: ReadonlySet<string> = new Set(['id', 'sequence', 'start', 'stop', 'strand', 'matches']);

/** Reads a record. Returns its problem as text. The builder of the set checks the values. */
function readRecord(entry: unknown): ResultRecord | string {
  if (!isRecord(entry)) return 'expected an object';
  const { id, sequence, start, stop, strand = '.' } = entry;
  if (typeof id !== 'string') return 'id is no text';
  const count = [sequence, start, stop].filter((value) => value !== undefined).length;
  if (count === 0 && entry['strand'] === undefined) return { id };
  if (count < 3) return 'a location is sequence, start and stop; some of them are absent';
  const sign = STRAND_OF_SYMBOL.get(strand as string);
  if (sign === undefined) return `strand is ${briefJson(strand)}; expected "+", "-" or "."`;
  const location = { sequence, start, stop, strand: sign };
  return { id, location: location as ResultLocation };
}

function inOrderOf(set: ResultSet, list: readonly unknown[], matches: readonly number[]): Uint32Array {
  const byId = new Map(list.map((entry, index) => [(entry as RecordJson).id, matches[index]!]));
  return Uint32Array.from(set.ids, (id) => byId.get(id)!);
}

function refuse(reason: string): ReadResultJson {
  return { ok: false, message: `This is no result set: ${reason}.` };
}
