/**
 * Maps and sets as JSON, so that any structure of them, of lists, plain objects and JSON values comes back as it was.
 * They are marked by the key `$`; an object of others that has such a key is marked too, so that the mark cannot be
 * forged.
 */

const MARK = '$';

type Marked =
  | { readonly $: 'map'; readonly of: readonly (readonly [unknown, unknown])[] }
  | { readonly $: 'set'; readonly of: readonly unknown[] }
  | { readonly $: 'plain'; readonly of: Readonly<Record<string, unknown>> };

/** Recursive: a value that is nested deeper than some thousand levels must not come here. */
export function encodePlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(encodePlain);
  if (value instanceof Map) {
    return { [MARK]: 'map', of: [...value].map(([key, one]) => [key, encodePlain(one)]) };
  }
  if (value instanceof Set) return { [MARK]: 'set', of: [...value].map(encodePlain) };
  const plain = entriesOf(value, encodePlain);
  return Object.hasOwn(plain, MARK) ? { [MARK]: 'plain', of: plain } : plain;
}

export function decodePlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decodePlain);
  if (!Object.hasOwn(value, MARK)) return entriesOf(value, decodePlain);
  const marked = value as Marked;
  switch (marked.$) {
    case 'map':
      return new Map(marked.of.map(([key, one]) => [key, decodePlain(one)]));
    case 'set':
      return new Set(marked.of.map(decodePlain));
    case 'plain':
      return entriesOf(marked.of, decodePlain);
  }
}

/** `fromEntries` defines its keys, also one that is named `__proto__`. */
function entriesOf(value: object, each: (one: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, each(one)]));
}
