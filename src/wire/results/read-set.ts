/** The result of every reader of record files. */

import type { ResultSet } from '../../language/algebra/index.ts';

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

export interface IssueList {
  readonly count: number;
  add(line: number, message: string): void;
  list(): readonly ReadIssue[];
}

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
