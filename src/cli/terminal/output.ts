/**
 * The two streams of a command: data on stdout, everything else on stderr. Only stderr has colours. Hidden and control
 * characters are escaped on stderr and on a terminal; data for a file or a pipe stay unchanged.
 */

import { wrapMessage, wrapNote } from '../../plan/lines/index.ts';
import { visible } from '../../plan/text/index.ts';

export const FORMATS = ['text', 'json', 'jsonl', 'none'] as const;
export type OutputFormat = (typeof FORMATS)[number];
export const COLOR_MODES = ['always', 'never', 'auto'] as const;
export type ColorMode = (typeof COLOR_MODES)[number];
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** An error to print. Its JSON form has `details` besides code and message. */
export interface PrintedError {
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Output {
  readonly format: OutputFormat;
  /** Whether a person can be asked: the format is text, and stdin, stdout and stderr are terminals. */
  readonly canAsk: boolean;
  /** Columns for prose: the terminal's, or 80 without a terminal; at most 120. */
  readonly columns: number;
  /** Width of data that programs may search, one item per line. Without a terminal it is not limited. */
  readonly lineColumns: number;
  readonly noteColumns: number;
  /** Prints the result: `text()` in the text format, `lines()` (if any) with jsonl, otherwise the record as JSON. */
  print(record: unknown, text: () => string, lines?: () => Iterable<unknown>): void;
  note(line: string): void;
  error(error: PrintedError): void;
  paint(style: Style, text: string): string;
}

const ANSI: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
/** Matches the codes of `paint`. All other codes are escaped, since they could hide text or move the cursor. */
const PAINTED = new RegExp(String.raw`(\u001B\[(?:0|${Object.values(ANSI).join('|')})m)`);
const LINES_AT_ONCE = 1000;
const COLUMNS = 80;
const MOST_COLUMNS = 120;

export function createOutput(format: OutputFormat, color: ColorMode): Output {
  const { stdin, stdout, stderr } = process;
  const { NO_COLOR, TERM } = process.env;
  const colored = color === 'always' || (color === 'auto' && !NO_COLOR && TERM !== 'dumb' && stderr.isTTY);
  const columns = Math.min(stdout.columns || stderr.columns || COLUMNS, MOST_COLUMNS);
  const printable = (text: string) =>
    colored
      ? text
          .split(PAINTED)
          .map((part, at) => (at % 2 === 1 ? part : visibleLines(part)))
          .join('')
      : visibleLines(text);
  const fitted = (text: string) =>
    stderr.isTTY
      ? text
          .split('\n')
          .flatMap((line) => wrapNote(line, columns))
          .join('\n')
      : text;
  const note = (text: string) => void stderr.write(`${fitted(printable(text))}\n`);
  const paint = (style: Style, text: string) =>
    colored && text !== '' ? `\u001B[${ANSI[style]}m${text}\u001B[0m` : text;
  return {
    format,
    canAsk: format === 'text' && stdin.isTTY && stdout.isTTY && stderr.isTTY,
    columns,
    lineColumns: stdout.isTTY ? Math.min(stdout.columns || COLUMNS, MOST_COLUMNS) : Infinity,
    noteColumns: stderr.isTTY ? Math.min(stderr.columns || COLUMNS, MOST_COLUMNS) : Infinity,
    print(record, text, lines) {
      if (format === 'text') stdout.write(endLine(stdout.isTTY ? visibleLines(text()) : text()));
      else if (format === 'json') stdout.write(`${JSON.stringify(record, null, 2)}\n`);
      else if (format === 'jsonl') writeLines(lines?.() ?? [record]);
    },
    note,
    error(error) {
      if (format === 'json' || format === 'jsonl') {
        const { code, message, details } = error;
        const record = { ok: false, error: { code, message, ...details } };
        stdout.write(`${JSON.stringify(record, null, format === 'json' ? 2 : undefined)}\n`);
      } else {
        const head = `error[${error.code}]`;
        const text = `${head}: ${error.message}`;
        const lines = stderr.isTTY ? wrapMessage(text, columns) : [text];
        note(lines.join('\n').replace(head, paint('red', head)));
      }
    },
    paint,
  };
}

function visibleLines(text: string): string {
  return visible(text, { lines: true });
}

/** Writes lines in batches, since a string cannot hold a million records. */
function writeLines(records: Iterable<unknown>): void {
  let batch: string[] = [];
  for (const record of records) {
    batch.push(`${JSON.stringify(record)}\n`);
    if (batch.length === LINES_AT_ONCE) {
      process.stdout.write(batch.join(''));
      batch = [];
    }
  }
  process.stdout.write(batch.join(''));
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
