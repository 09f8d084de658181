/** A run that goes on, in lines: each change once, and after a silence how the run stands. */

import type { RunView } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { createChanges, type Change } from './changes.ts';
import { progressLines } from './progress.ts';

export interface Live {
  see(view: RunView): void;
  note(line: string): void;
  /** Calls `write` now, or after the question that a person is being asked. */
  print(write: () => void): void;
  /** Begins (true) or ends a question. Until it ends, nothing is printed. */
  hold(on: boolean): void;
  close(): void;
}

/**
 * How long nothing is printed before a summary, in milliseconds. Each silence is twice as long as the one before, up to
 * `longest`.
 */
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
