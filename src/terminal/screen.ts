/** Lines that are only added to, and on a terminal below them one block of lines that is drawn again as things change. */

import type { Output } from './output.ts';

export interface Screen {
  /** Columns that a line may fill. */
  readonly width: number;
  /** Whether `show` shows anything. */
  readonly isLive: boolean;
  readonly paint: Output['paint'];
  /** Adds lines, above the block. */
  say(...lines: readonly string[]): void;
  /** Draws the block anew. */
  show(lines: readonly string[]): void;
  /** Ends the block: what it showed last stays. */
  settle(): void;
}

const WIDEST = 96;
const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';

export function createScreen(output: Pick<Output, 'canRedraw' | 'paint'>): Screen {
  const { stderr } = process;
  const { columns = WIDEST, rows = 24 } = stderr;
  let block: readonly string[] = [];

  function erased(): string {
    return block.length === 0 ? '' : `\u001B[${block.length}A\u001B[0J`;
  }

  function draw(lines: readonly string[], before = ''): void {
    stderr.write(before + lines.map((line) => `${line}\n`).join(''));
  }

  return {
    width: Math.min(columns - 1, WIDEST),
    isLive: output.canRedraw,
    paint: output.paint,
    say(...lines) {
      draw([...lines, ...block], erased());
    },
    show(lines) {
      // A block higher than the terminal could not be erased any more.
      if (!output.canRedraw || lines.length >= rows) return;
      draw(lines, (block.length === 0 ? HIDE_CURSOR : '') + erased());
      block = lines;
    },
    settle() {
      if (block.length > 0) stderr.write(SHOW_CURSOR);
      block = [];
    },
  };
}

/** The text in exactly `width` characters. */
export function fit(text: string, width: number): string {
  return text.length <= width ? text.padEnd(width) : `${text.slice(0, Math.max(width - 1, 0))}…`;
}
