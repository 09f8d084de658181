/** A file that requests are appended to, one a line below its opening: what a double of hardware has been sent, in order. */

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export interface RequestFile<Opening, Request> {
  /** The line is on its way to the disk before this returns: a sender that dies leaves what it sent. */
  append(request: Request): void;
  /** A file that nobody wrote to is not there, and has no opening. */
  read(): { readonly opening?: Opening; readonly requests: readonly Request[] };
}

/** `opening` counts for a fresh file; one that is there already keeps its own. */
export function requestFile<Opening, Request>(file: string, opening: Opening): RequestFile<Opening, Request> {
  return {
    append(request) {
      open();
      appendFileSync(file, `${JSON.stringify(request)}\n`);
    },
    read() {
      const [first = '', ...lines] = textOf(file).split('\n');
      if (first === '') return { requests: [] };
      const requests = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Request);
      return { opening: JSON.parse(first) as Opening, requests };
    },
  };

  function open(): void {
    mkdirSync(dirname(file), { recursive: true });
    try {
      writeFileSync(file, `${JSON.stringify(opening)}\n`, { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
