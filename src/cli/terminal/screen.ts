/** Lines that scroll, and on a terminal a block below them that is redrawn. */

import { columnsOf } from '../../plan/lines/index.ts';
import type { Output } from './output.ts';

export interface Screen {
  readonly width: number;
  /** Whether `show` draws. */
  readonly isLive: boolean;
  readonly paint: Output['paint'];
  say(...lines: readonly string[]): void;
  /** Lets something else write above the block. */
  above(write: () => void): void;
  /** Redraws the block, cut to the height of the terminal. */
  show(lines: readonly string[]): void;
  /** Leaves the last block on the screen. */
  settle(): void;
}

const WIDEST = 96;
/** If the terminal does not say. */
const ROWS = 24;
const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
/** The terminal cuts long lines instead of wrapping them, so the height is known. */
const NO_WRAP = '\u001B[?7l';
const WRAP = '\u001B[?7h';

/** Draws on stderr. `keepsCursor` leaves the cursor visible, for a program that may be killed while drawing. */
export function createScreen(output: Pick<Output, 'canRedraw' | 'paint'>, { keepsCursor = false } = {}): Screen {
  const { stderr } = process;
  const { columns = WIDEST } = stderr;
  let block: readonly string[] = [];
  let drawnWide = columns;

  /** A terminal that became narrower has wrapped the lines. */
  function erased(): string {
    if (block.length === 0) return '';
    const { columns: wide = drawnWide } = stderr;
    const heights = block.map((line) => Math.max(1, Math.ceil(columnsOf(line) / wide)));
    const height = wide < drawnWide ? heights.reduce((sum, one) => sum + one, 0) : block.length;
    // A key pressed meanwhile may have echoed, as ^C.
    return `\r\u001B[${height}A\u001B[0J`;
  }

  function drawn(lines: readonly string[]): string {
    drawnWide = stderr.columns ?? drawnWide;
    return lines.length === 0 ? '' : `${NO_WRAP}${lines.map((line) => `${line}\n`).join('')}${WRAP}`;
  }

  return {
    width: Math.min(columns - 1, WIDEST),
    isLive: output.canRedraw,
    paint: output.paint,
    say(...lines) {
      stderr.write(`${erased()}${lines.map((line) => `${line}\n`).join('')}${drawn(block)}`);
    },
    above(write) {
      if (block.length > 0) stderr.write(erased());
      write();
      if (block.length > 0) stderr.write(drawn(block));
    },
    show(lines) {
      if (!output.canRedraw) return;
      // A block higher than the terminal could not be erased.
      const visibleLines = lines.slice(0, (stderr.rows ?? ROWS) - 1);
      const before = block.length === 0 && visibleLines.length > 0 && !keepsCursor ? HIDE_CURSOR : '';
      const text = before + erased() + drawn(visibleLines);
      if (text !== '') stderr.write(text);
      block = visibleLines;
    },
    settle() {
      if (block.length > 0 && !keepsCursor) stderr.write(SHOW_CURSOR);
      block = [];
    },
  };
}
