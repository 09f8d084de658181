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
