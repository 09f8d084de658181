/** The archive that the writer files its report in: one file, a report a line, and nothing in it can be taken back. */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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
    add({ key, title, text }) {
      mkdirSync(dirname(file), { recursive: true });
      const filed: Filed = { at: new Date().toISOString(), pid: process.pid, key, title, text };
      appendFileSync(file, `${JSON.stringify(filed)}\n`);
    },
    all() {
      if (!existsSync(file)) return [];
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as Filed);
    },
  };
}
