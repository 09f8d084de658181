/** Texts and JSON that come from elsewhere, read without throwing. */

/**
 * The text of bytes in UTF-8, a byte order mark included; undefined where they are not UTF-8.
 *
 * @example textOfBytes(new Uint8Array([0xff])); // undefined
 */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const KEYS_AND_BRACKETS = /("[^"\\]*(?:\\.[^"\\]*)*")(?=\s*:)|"[^"\\]*(?:\\.[^"\\]*)*"|([{}])/g;

/**
 * The first key that one object of a JSON text has twice: of its two values another reader may take the other one.
 * @param text one that JSON.parse reads
 * @example repeatedKey('{"kind":"reject","\\u006bind":"approve"}'); // 'kind'
 */
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

/**
 * The value of a JSON text, or of its bytes in UTF-8; undefined where it is none, which no JSON text says.
 *
 * @example jsonIn('{"a":1}'); // { a: 1 }
 */
export function jsonIn(written: string | Uint8Array): unknown {
  const text = typeof written === 'string' ? written : textOfBytes(written);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}
