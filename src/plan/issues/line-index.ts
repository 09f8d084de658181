/** Line and column of offsets in a text. */

/** Line and column of many offsets of one text. */
export class LineIndex {
  readonly #text: string;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** 1-based line and column (in UTF-16 units). A line ends with LF, CR or both. */
  positionOf(offset: number): { line: number; column: number } {
    this.#starts ??= [0, ...[...this.#text.matchAll(/\r\n|\n|\r/g)].map((ending) => ending.index + ending[0].length)];
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 };
  }
}

/** 1-based line and column (in UTF-16 units) of an offset. A line ends with LF, CR or both. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (const ending of text.slice(0, offset).matchAll(/\r\n|\n|\r/g)) {
    line++;
    start = ending.index + ending[0].length;
  }
  return { line, column: offset - start + 1 };
}
