/** Parts that the JSON Schema of plans is made of. */

export interface Schema {
  readonly [keyword: string]: unknown;
}

/** The key has a value other than null; null and absence are the same in a plan document. */
export function present(key: string): Schema {
  return { required: [key], properties: { [key]: { not: { type: 'null' } } } };
}

export function without(key: string): Schema {
  return { properties: { [key]: { type: 'null' } } };
}

export function nullOr(schema: Schema): Schema {
  return { anyOf: [{ type: 'null' }, schema] };
}

/** If the condition holds, the one schema must hold too, else the other. */
export function choice(condition: Schema, one: Schema, other?: Schema): Schema {
  // oxlint-disable-next-line unicorn/no-thenable
  return { if: condition, then: one, ...(other !== undefined && { else: other }) };
}

/** One of these words, in any case and with space around it. */
export function anyCase(words: readonly string[]): Schema & { readonly pattern: string } {
  const patterns = words.map((word) => Array.from(word, letterPattern).join(''));
  return { type: 'string', pattern: `^\\s*(?:${patterns.join('|')})\\s*$` };
}

/** The first of these keys that is not null has this value, and there is one. */
export function chain(keys: readonly string[], schema: Schema): Schema {
  return {
    anyOf: keys.map((key, at) => ({
      allOf: [...keys.slice(0, at).map(without), present(key), { properties: { [key]: schema } }],
    })),
  };
}

/** A text that is not blank; a number or a boolean is read as a text. A pattern binds strings alone. */
export const TEXT: Schema = { type: ['string', 'number', 'boolean'], pattern: '\\S' };

/** The definition of `TEXT`. */
export const TEXT_REF: Schema = { $ref: '#/definitions/text' };

/** A text under the first of these keys that is not null. */
export function requiredText(...keys: readonly string[]): Schema {
  return chain(keys, TEXT_REF);
}

export function optionalText(...keys: readonly string[]): Schema {
  return { anyOf: [{ allOf: keys.map(without) }, chain(keys, { type: ['string', 'number', 'boolean'] })] };
}

/** A name that may be left out; a blank one is refused. */
export function optionalName(key: string): Schema {
  return { anyOf: [without(key), chain([key], TEXT_REF)] };
}

function letterPattern(letter: string): string {
  // A letter that is two in another case, such as a sharp s, has no place in a class of single characters.
  const cases = [letter.toUpperCase(), letter.toLowerCase(), letter].filter((each) => Array.from(each).length === 1);
  const different = [...new Set(cases)];
  return different.length > 1 ? `[${different.join('')}]` : letter.replace(SYNTAX, '\\$&');
}

/**
 * The characters that mean something in a regular expression, also one that is read as Unicode, where no other may be
 * escaped.
 */
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/;
