/** The archive that the writer files its report in: one file, a report or a withdrawal a line. */

import { resolve } from 'node:path';
import { appendLine, readLines } from '../stage/json-lines.ts';

export interface Filed {
  readonly at: string;
  readonly pid: number;
  readonly key: string;
  readonly title: string;
  readonly text: string;
}

export interface Archive {
  readonly file: string;
  add(report: Pick<Filed, 'key' | 'title' | 'text'>): void;
  withdraw(key: string): void;
  /** The reports that are not withdrawn. */
  all(): readonly Filed[];
}

export function openArchive(file = resolve('.planwright/agents.jsonl')): Archive {
  return {
    file,
    add: (report) => appendLine(file, report),
    withdraw: (withdrawn) => appendLine(file, { withdrawn }),
    all() {
      const lines = readLines(file) as readonly (Filed & { readonly withdrawn?: string })[];
      const withdrawn = new Set(lines.map((line) => line.withdrawn));
      return lines.filter((line) => line.withdrawn === undefined && !withdrawn.has(line.key));
    },
  };
}
