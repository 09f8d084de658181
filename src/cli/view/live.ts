/** A running run: lines of what happened, and on a terminal its present work below them, redrawn each second. */

import type { RunView } from '../../protocol/index.ts';
import { createScreen, type Output } from '../terminal/index.ts';
import { createChanges, type Change } from './changes.ts';
import { nowLines } from './now-lines.ts';

export interface Live {
  /** Prints what changed since the last view, and draws this one. */
  see(view: RunView): void;
  note(line: string): void;
  /** Lets something else write lines; during a `hold` they wait. */
  above(write: () => void): void;
  /** Stops drawing and writing, for example during a question. */
  hold(on: boolean): void;
  close(): void;
}

/** Drawn above the lines about now; it stays at the end. */
export type Picture = (view: RunView, size: { readonly width: number; readonly most: number }) => readonly string[];

const TICK_MS = 1000;
/** Longer lines are hard to read. */
const WIDEST = 120;
const SIZE = { columns: 80, rows: 24 };
/** Parts of the terminal's height for present work: beside a picture, and alone. */
const NOW_SHARE = { beside: 4, alone: 2 };
const LEAST_NOW = 3;
/** Rows. */
const LEAST_PICTURE = 8;

/** Without a terminal nothing is drawn. `tell` gets each change before its view is drawn. */
export function createLive(
  output: Pick<Output, 'canRedraw' | 'note' | 'paint'>,
  report: (change: Change, view: RunView) => void,
  picture?: Picture,
): Live {
  const { stderr } = process;
  const screen = createScreen(output, { keepsCursor: true });
  const newIn = createChanges();
  let latest: RunView | undefined;
  let deferred: (() => void)[] | undefined;
  const clock = output.canRedraw ? setInterval(draw, TICK_MS).unref() : undefined;
  if (output.canRedraw) stderr.on('resize', draw);
  return {
    see(view) {
      for (const change of newIn(view)) report(change, view);
      latest = view;
      draw();
    },
    note: (line) => above(() => output.note(line)),
    above,
    hold,
    close() {
      clearInterval(clock);
      stderr.off('resize', draw);
      if (deferred === undefined) leave();
      latest = undefined;
      hold(false);
    },
  };

  function above(write: () => void): void {
    if (deferred === undefined) screen.above(write);
    else deferred.push(write);
  }

  function hold(on: boolean): void {
    if (on && deferred === undefined) leave();
    const writes = deferred ?? [];
    deferred = on ? writes : undefined;
    if (on) return;
    for (const write of writes) screen.above(write);
    draw();
  }

  function draw(): void {
    if (deferred !== undefined || latest === undefined || !output.canRedraw) return;
    screen.show([...pictureOf(latest), ...nowOf(latest)]);
  }

  /** A clock that stopped would show something untrue. */
  function leave(): void {
    if (latest !== undefined && output.canRedraw) screen.show(pictureOf(latest));
    screen.settle();
  }

  function pictureOf(view: RunView): readonly string[] {
    const { width, picture: most } = sizes();
    return picture === undefined || most === 0 ? [] : picture(view, { width, most });
  }

  function nowOf(view: RunView): readonly string[] {
    const { width, beside, alone, picture: left } = sizes();
    const most = picture === undefined || left === 0 ? alone : beside;
    return nowLines(view, { width, most, now: Date.now(), paint: output.paint });
  }
}

export function hasPictureRoom(): boolean {
  return sizes().picture > 0;
}

/** Columns and rows; the terminal may change. */
function sizes() {
  const { columns = SIZE.columns, rows = SIZE.rows } = process.stderr;
  const beside = Math.max(LEAST_NOW, Math.floor(rows / NOW_SHARE.beside));
  const alone = Math.max(LEAST_NOW, Math.floor(rows / NOW_SHARE.alone));
  // The cursor needs a row below.
  const left = rows - 1 - beside;
  return { width: Math.min(columns - 1, WIDEST), beside, alone, picture: left < LEAST_PICTURE ? 0 : left };
}
