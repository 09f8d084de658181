import { briefJson, quote } from '../text/index.ts';
import { MAX_POSITION } from './locations.ts';
import type { ResultLocation, ResultRecord, Locations, ResultSet } from './result-set.ts';

const FLAT_KEYS = ['sequence', 'start', 'stop', 'strand'] as const;

export function recordProblem(record: ResultRecord): string | undefined {
  const { id, location } = record;
  if (typeof id !== 'string' || id.trim() === '') return 'A record has no id: an id is a text that is not blank.';
  if (/[\n\r\t]/.test(id)) return `The id ${quote(id)} holds a tab or a line break: an id is one line without tabs.`;
  const flat = FLAT_KEYS.filter((key) => key in record);
  if (flat.length > 0) return flatProblem(id, flat);
  return location === undefined ? undefined : locationProblem(id, location);
}

/** Rejects a location's fields if they are beside the id of a record, since the location would be lost. */
function flatProblem(id: string, flat: readonly string[]): string {
  return (
    `The record ${quote(id)} has ${flat.join(', ')} beside its id. A place goes into location: ` +
    '{ id, location: { sequence, start, stop, strand } }, with strand 1, -1 or 0; fromResultJson reads the JSON of a set.'
  );
}

function locationProblem(id: string, location: ResultLocation): string | undefined {
  const { sequence, start, stop, strand } = location;
  const where = `The location of ${quote(id)}`;
  if (typeof sequence !== 'string' || sequence === '') return `${where} has no sequence name.`;
  if (!isPosition(start) || !isPosition(stop)) {
    return `${where} is ${briefJson(start)} to ${briefJson(stop)}: start and stop are integers from 1 to ${MAX_POSITION}.`;
  }
  if (start > stop)
    return `${where} starts at ${start} and stops before that, at ${stop}: start comes first on both strands.`;
  if (strand !== 1 && strand !== -1 && strand !== 0) {
    return `${where} has strand ${briefJson(strand)}: expected 1 (forward), -1 (reverse) or 0 (none).`;
  }
  return undefined;
}

function isPosition(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= MAX_POSITION;
}

/** The problem of a set from outside; undefined if it has none. The operators need sorted ids and matching columns. */
export function setProblem({ recordType, ids, locations, matches }: ResultSet): string | undefined {
  if (recordType !== null && typeof recordType !== 'string') return 'recordType is neither a text nor null';
  if (!Array.isArray(ids)) return 'ids is no list';
  return idProblem(ids) ?? locationsProblem(locations, ids.length) ?? matchesProblem(matches, ids.length);
}

function idProblem(ids: readonly unknown[]): string | undefined {
  let previous = '';
  for (let row = 0; row < ids.length; row += 1) {
    const id = ids[row];
    if (typeof id !== 'string' || id === '') return `ids[${row}] is not a text, or empty`;
    if (!(previous < id)) {
      return `ids[${row}] is ${quote(id)} after ${quote(previous)}; ids are sorted by UTF-16 code units, each once`;
    }
    previous = id;
  }
  return undefined;
}

function locationsProblem(locations: Locations | null, count: number): string | undefined {
  if (locations === null) return undefined;
  if (typeof locations !== 'object') return 'locations is neither null nor columns';
  const { sequences, sequence, start, stop, strand } = locations;
  for (const [name, column] of Object.entries({ sequence, start, stop })) {
    if (!(column instanceof Int32Array) || column.length !== count) return `${name} is no Int32Array of ${count} rows`;
  }
  if (!(strand instanceof Int8Array) || strand.length !== count) return `strand is no Int8Array of ${count} rows`;
  if (!Array.isArray(sequences) || !sequences.every((name) => typeof name === 'string' && name !== '')) {
    return 'sequences is no list of names';
  }
  if (new Set(sequences).size !== sequences.length) return 'sequences holds one name twice';
  for (let row = 0; row < count; row += 1) {
    const index = sequence[row]!;
    if (index < -1 || index >= sequences.length) return `row ${row} stands on sequence ${index} of ${sequences.length}`;
    if (index === -1) continue;
    if (start[row]! < 1 || start[row]! > stop[row]! || stop[row]! > MAX_POSITION) {
      return `row ${row} stands from ${start[row]} to ${stop[row]}; expected 1 <= start <= stop <= ${MAX_POSITION}`;
    }
    if (strand[row]! < -1 || strand[row]! > 1) return `row ${row} has strand ${strand[row]}; expected 1, -1 or 0`;
  }
  return undefined;
}

function matchesProblem(matches: Uint32Array | undefined, count: number): string | undefined {
  if (matches === undefined || (matches instanceof Uint32Array && matches.length === count)) return undefined;
  return `matches is no Uint32Array of ${count} rows`;
}
