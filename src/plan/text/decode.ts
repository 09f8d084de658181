/** Reads texts and JSON from outside without throwing. */

/** The text of UTF-8 bytes, including a byte order mark; undefined if they are not UTF-8. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const KEYS_AND_BRACKETS = /("[^"\\]*(?:\\.[^"\\]*)*")(?=\s*:)|"[^"\\]*(?:\\.[^"\\]*)*"|([{}])/g;

/** The first key that an object of a JSON text has twice. Readers disagree on which value counts. */
export function repeatedKey(text: string): string | undefined {
  const objects: Set<string>[] = [];
  for (const [, quoted, brace] of text.matchAll(KEYS_AND_BRACKETS)) {
    if (brace === '{') objects.push(new Set());
    if (brace === '}') objects.pop();
    if (quoted === undefined) continue;
    const key = JSON.parse(quoted) as string;
    const keys = objects.at(-1)!;
    if (keys.has(key)) return key;
    keys.add(key);
  }
  return undefined;
}

/** The value of a JSON text, or of its UTF-8 bytes; undefined if it is no JSON. */
export function jsonIn(written: string | Uint8Array): unknown {
  const text = typeof written === 'string' ? written : textOfBytes(written);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
