/** The result of every reader of record files, and the places on a line of one. */

import { MAX_POSITION, type ResultSet } from '../plan/algebra/index.ts';

/** A problem in a text; `line` counts from 1, and 0 is the text as a whole. */
export interface ReadIssue {
  readonly line: number;
  readonly message: string;
}

/**
 * The set that a text of records holds, or its issues. `notes` say what was taken differently from how it stands. At
 * most 100 issues are listed, then how many more.
 */
export type ReadSet =
  | { readonly ok: true; readonly set: ResultSet; readonly notes: readonly string[] }
  | { readonly ok: false; readonly issues: readonly ReadIssue[] };

/** The answer where a text cannot be read at all, or beyond this line. */
export function unreadable(message: string, line = 0): Extract<ReadSet, { ok: false }> {
  return { ok: false, issues: [{ line, message }] };
}

/** The first and the last position of a record on a line, or the fault of one of them. */
export function readSpan(
  format: 'BED' | 'GFF3',
  least: 0 | 1,
  [startName, startText]: readonly [string, string],
  [endName, endText]: readonly [string, string],
): { readonly start: number; readonly stop: number } | string {
  const [start, stop] = [positionIn(startText, least), positionIn(endText, least)];
  if (start === undefined || stop === undefined) {
    const [column, got] = start === undefined ? [startName, startText] : [endName, endText];
    return `The ${column} is ${JSON.stringify(got)}; expected an integer from ${least} to ${MAX_POSITION}.`;
  }
  if (start <= stop) return { start, stop };
  return `The start ${start} is past the end ${stop}. ${format} gives the smaller one first on both strands.`;
}

function positionIn(text: string, least: number): number | undefined {
  const position = /^\d{1,10}$/.test(text) ? Number(text) : Infinity;
  return position >= least && position <= MAX_POSITION ? position : undefined;
}

export interface IssueList {
  readonly count: number;
  add(line: number, message: string): void;
  list(): readonly ReadIssue[];
}

/**
 * @bound problems told of a file of records
 * @beyond counted
 */
const MAX_ISSUES = 100;

export function createIssueList(): IssueList {
  const listed: ReadIssue[] = [];
  let count = 0;
  return {
    get count() {
      return count;
    },
    add(line, message) {
      count += 1;
      if (listed.length < MAX_ISSUES) listed.push({ line, message });
    },
    list() {
      const more = count - listed.length;
      return more === 0 ? listed : [...listed, { line: 0, message: `and ${counted(more, 'more problem')}.` }];
    },
  };
}

/** One note on lines that gave no record of their own; none when there were none. */
export function repeatNote(repeats: number, what: string): readonly string[] {
  return repeats === 0
    ? []
    : [`${counted(repeats, 'line')} repeated the ${what} of an earlier line; each such record counts once.`];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
