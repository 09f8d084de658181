/** Lines that are only added to, and on a terminal below them one block of lines that is drawn again as things change. */

import { columnsOf } from '../../plan/lines/index.ts';
import type { Output } from './output.ts';

export interface Screen {
  /** Columns that a line may fill. */
  readonly width: number;
  /** Whether `show` shows anything. */
  readonly isLive: boolean;
  readonly paint: Output['paint'];
  /** Adds lines, above the block. */
  say(...lines: readonly string[]): void;
  /** Lets something else write lines, above the block. */
  above(write: () => void): void;
  /** Draws the block anew; what is higher than the terminal is cut. */
  show(lines: readonly string[]): void;
  /** Ends the block: what it showed last stays. */
  settle(): void;
}

const WIDEST = 96;
/** The height of a terminal that does not tell it. */
const ROWS = 24;
const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
/** A line that is too long is cut by the terminal and not wrapped: its height is known. */
const NO_WRAP = '\u001B[?7l';
const WRAP = '\u001B[?7h';

/**
 * A screen of stderr. With `keepsCursor` the cursor stays seen: for a program that may be ended in the middle of a block.
 */
export function createScreen(output: Pick<Output, 'canRedraw' | 'paint'>, { keepsCursor = false } = {}): Screen {
  const { stderr } = process;
  const { columns = WIDEST } = stderr;
  let block: readonly string[] = [];
  let drawnWide = columns;

  /** A terminal that was made narrower since has wrapped the lines. */
  function erased(): string {
    if (block.length === 0) return '';
    const { columns: wide = drawnWide } = stderr;
    const heights = block.map((line) => Math.max(1, Math.ceil(columnsOf(line) / wide)));
    const height = wide < drawnWide ? heights.reduce((sum, one) => sum + one, 0) : block.length;
    // A key that was pressed meanwhile may stand there, as ^C.
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
      // A block higher than the terminal could not be erased any more.
      const shown = lines.slice(0, (stderr.rows ?? ROWS) - 1);
      const before = block.length === 0 && shown.length > 0 && !keepsCursor ? HIDE_CURSOR : '';
      const text = before + erased() + drawn(shown);
      if (text !== '') stderr.write(text);
      block = shown;
    },
    settle() {
      if (block.length > 0 && !keepsCursor) stderr.write(SHOW_CURSOR);
      block = [];
    },
  };
}
