/** BED lines as a result set. */

import { createSetBuilder, locationId, MAX_POSITION } from '../algebra/index.ts';
import type { ResultLocation, StrandSign } from '../algebra/index.ts';
import { createIssueList, repeatNote } from './read-set.ts';
import type { ReadSet } from './read-set.ts';
import { textLines } from './text-lines.ts';

export interface BedOptions {
  /**
   * `name`: the name column where a line has one, else the place. `location`: the place, `sequence:start-stop:strand`
   * with 1-based ends and `.` without strand.
   */
  readonly id: 'name' | 'location';
}

/**
 * Reads BED with 3 to 12 columns: 0-based half-open in the text, 1-based with both ends inclusive in the set.
 * Lines that are blank, start with `#`, or are `track` or `browser` lines are passed over. Columns are parted by tabs,
 * and in a line without tabs by spaces. The name `.` counts as none. Lines with one id and one place are one record;
 * a name that stands at two places is an issue, reported once.
 */
export function readBed(content: string | Uint8Array, options: BedOptions): ReadSet {
  const lines = textLines(content);
  if (!lines.ok) return lines;
  const builder = createSetBuilder();
  const issues = createIssueList();
  const reportedNames = new Set<string>();
  const lineOfRow: number[] = [];
  let repeats = 0;
  let unnamed = 0;

  for (const { line, text } of lines.lines) {
    if (isPassedOver(text)) continue;
    const parsed = parseLine(text);
    if (typeof parsed === 'string') {
      issues.add(line, parsed);
      continue;
    }
    const { name, location } = parsed;
    const named = options.id === 'name' && name !== undefined;
    const id = named ? name : locationId(location);
    const added = builder.add({ id, location });
    if (added.ok) {
      if (added.repeated) repeats += 1;
      else lineOfRow[added.row] = line;
      if (!added.repeated && options.id === 'name' && !named) unnamed += 1;
    } else if (added.conflict === undefined) {
      issues.add(line, added.message);
    } else if (!reportedNames.has(id)) {
      reportedNames.add(id);
      const earlier = `${locationId(added.conflict.place)} (line ${lineOfRow[added.conflict.row]})`;
      const here = `${locationId(location)} (line ${line})`;
      issues.add(
        line,
        `The name "${id}" stands at ${earlier} and at ${here}. A record has one place: ask for location ids (--id location, id: location).`,
      );
    }
  }
  if (issues.count > 0) return { ok: false, issues: issues.list() };
  const set = builder.build();
  const notes = [...repeatNote(repeats, 'id and the place')];
  if (unnamed > 0 && unnamed < set.ids.length) {
    notes.push(`${unnamed} of ${set.ids.length} records have no name; their place is their id.`);
  }
  return { ok: true, set, notes };
}

interface BedRecord {
  readonly name: string | undefined;
  readonly location: ResultLocation;
}

function isPassedOver(text: string): boolean {
  return text === '' || text.startsWith('#') || /^(?:track|browser)(?:\s|$)/.test(text) || text.trim() === '';
}

/** The record of a line, or what is wrong with the line. */
function parseLine(text: string): BedRecord | string {
  const columns = text.includes('\t') ? text.split('\t') : text.trim().split(/ +/);
  const [sequence = '', startText, stopText, name, , strandText] = columns;
  if (startText === undefined || stopText === undefined) {
    return `A BED line has at least 3 columns (sequence, start, end), parted by tabs; this one has ${columns.length}.`;
  }
  if (sequence === '') return 'The first column, the sequence name, is empty.';
  const start = parsePosition(startText);
  const stop = parsePosition(stopText);
  if (start === undefined || stop === undefined) {
    const [column, got] = start === undefined ? ['start', startText] : ['end', stopText];
    return `The ${column} is ${JSON.stringify(got)}; expected an integer from 0 to ${MAX_POSITION}.`;
  }
  if (start > stop)
    return `The start ${start} is past the end ${stop}. BED gives the smaller one first on both strands.`;
  if (start === stop) {
    return `Start and end are both ${start}: an interval of length 0 lies between two bases and has none of its own, so it cannot be a record.`;
  }
  const strand = strandText === undefined ? 0 : STRANDS.get(strandText);
  if (strand === undefined)
    return `The strand (column 6) is ${JSON.stringify(strandText)}; expected +, - or a dot for none.`;
  const isNamed = name !== undefined && name !== '' && name !== '.';
  return { name: isNamed ? name : undefined, location: { sequence, start: start + 1, stop, strand } };
}

const STRANDS: ReadonlyMap<string, StrandSign> = new Map([
  ['+', 1],
  ['-', -1],
  ['.', 0],
]);

function parsePosition(text: string): number | undefined {
  if (!/^\d{1,10}$/.test(text)) return undefined;
  const position = Number(text);
  return position <= MAX_POSITION ? position : undefined;
}
