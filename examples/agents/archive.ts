/** The archive that the writer files its report in: one file, a report a line, and nothing in it can be taken back. */

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
  all(): readonly Filed[];
}

export function openArchive(file = resolve('.planwright/agents.jsonl')): Archive {
  return {
    file,
    add: (report) => appendLine(file, report),
    all: () => readLines(file) as readonly Filed[],
  };
}
