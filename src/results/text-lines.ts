/** The lines of a text that may come as bytes. */

export type TextLines =
  | { readonly ok: true; readonly lines: Iterable<TextLine> }
  | { readonly ok: false; readonly issues: readonly [{ readonly line: 0; readonly message: string }] };

export interface TextLine {
  /** Counted from 1. */
  readonly line: number;
  /** Without the line end. */
  readonly text: string;
}

/** Line ends are LF or CRLF; a byte order mark is passed over; bytes are UTF-8. */
export function textLines(content: string | Uint8Array): TextLines {
  const text = typeof content === 'string' ? content : decode(content);
  if (text === undefined) {
    const message = isGzip(content as Uint8Array)
      ? 'The content is compressed with gzip: expand it first, or read it as a file.'
      : 'The content is not UTF-8 text: save it as UTF-8.';
    return { ok: false, issues: [{ line: 0, message }] };
  }
  return { ok: true, lines: linesOf(text.startsWith('\uFEFF') ? text.slice(1) : text) };
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function* linesOf(text: string): Generator<TextLine, void, undefined> {
  let line = 0;
  for (let from = 0; from < text.length;) {
    const found = text.indexOf('\n', from);
    const end = found === -1 ? text.length : found;
    line += 1;
    yield { line, text: text.slice(from, end > from && text[end - 1] === '\r' ? end - 1 : end) };
    from = end + 1;
  }
}
