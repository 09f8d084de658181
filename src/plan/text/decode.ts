/** Decodes UTF-8, including a byte order mark. Returns undefined if the bytes are not UTF-8. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const KEYS_AND_BRACKETS = /("[^"\\]*(?:\\.[^"\\]*)*")(?=\s*:)|"[^"\\]*(?:\\.[^"\\]*)*"|([{}])/g;

/** The first key that an object in a JSON text has twice. Readers disagree on which of the two values counts. */
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

/** Parses a JSON text, or its UTF-8 bytes. Returns undefined if the text is not JSON. */
export function jsonIn(written: string | Uint8Array): unknown {
  const text = typeof written === 'string' ? written : textOfBytes(written);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
