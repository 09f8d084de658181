/** A run in progress as lines: each change once, and a summary after a silence. */

import type { RunView } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { createChanges, type Change } from './changes.ts';
import { progressLines } from './progress.ts';

export interface Live {
  see(view: RunView): void;
  note(line: string): void;
  /** Calls `write` now, or after the question that a person is answering. */
  print(write: () => void): void;
  /** Starts (true) or ends a question. Until it ends, nothing is printed. */
  hold(on: boolean): void;
  close(): void;
}

/** Silence before a summary. Each silence is twice as long as the previous one, up to `longest`. */
const SILENCE_MS = { first: 10_000, longest: 300_000 };

export function createLive(
  output: Pick<Output, 'note' | 'noteColumns'>,
  report: (changes: readonly Change[], view: RunView) => void,
): Live {
  const newIn = createChanges();
  let latest: RunView | undefined;
  let deferred: (() => void)[] | undefined;
  let timer: NodeJS.Timeout | undefined;
  waitInSilence(SILENCE_MS.first);
  return {
    see(view) {
      latest = view;
      const changes = newIn(view);
      if (changes.length > 0) report(changes, view);
    },
    note: (line) => print(() => output.note(line)),
    print,
    hold(on) {
      if (on) deferred ??= [];
      else endQuestion();
    },
    close() {
      endQuestion();
      clearTimeout(timer);
    },
  };

  function print(write: () => void): void {
    if (deferred !== undefined) return void deferred.push(write);
    write();
    waitInSilence(SILENCE_MS.first);
  }

  function endQuestion(): void {
    const writes = deferred ?? [];
    deferred = undefined;
    for (const write of writes) print(write);
  }

  function waitInSilence(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (latest !== undefined && deferred === undefined)
        for (const line of progressLines(latest, output.noteColumns)) output.note(line);
      waitInSilence(Math.min(ms * 2, SILENCE_MS.longest));
    }, ms).unref();
  }
}
