/** Checks the kinds of values in a payload before they are used, and shortens what is too long for one. */

export { describeValue as describe } from '../plan/text/index.ts';

/**
 * The marker that the payload converter leaves in place of a value it cannot decode. A sender can forge it; it is
 * invalid either way.
 */
export interface Malformed {
  readonly malformed: true;
  readonly encoding: string;
  readonly reason: string;
}

export function isMalformed(value: unknown): value is Malformed {
  return isRecord(value) && value['malformed'] === true;
}

/** The encoding of a payload that is encrypted. */
const ENCRYPTED = 'binary/encrypted';

/** Whether this is the marker of a payload that its worker could not decrypt. */
export function isUndecrypted(value: unknown): value is Malformed {
  return isMalformed(value) && value.encoding === ENCRYPTED;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Level by level, since the sender decides how many there are, and recursion ends the stack. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    const next: unknown[] = [];
    for (const one of level)
      if (typeof one === 'object' && one !== null) for (const inner of Object.values(one)) next.push(inner);
    level = next;
  }
  return false;
}

/** The most UTF-16 code units: a page has at most 1 MiB of UTF-8, and a code unit takes at most 3 bytes. */
const PAGE = 349_000;

/** The text cut into pages; joined they are the text again. A character of two code units stays whole. */
export function pagesOf(text: string): readonly string[] {
  const pages: string[] = [];
  for (let at = 0; at < text.length;) {
    const isPair = (text.charCodeAt(at + PAGE - 1) & 0xfc00) === 0xd800;
    const end = at + PAGE - Number(isPair);
    pages.push(text.slice(at, end));
    at = end;
  }
  return pages;
}

export function isSigned(payload: unknown): payload is Record<string, unknown> {
  return isRecord(payload) && 'token' in payload;
}

/** The same fields, but absent instead of undefined. */
export type Given<Fields extends object> = {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/**
 * Drops undefined members.
 * @example given({ role: undefined, by: 'operator' }); // { by: 'operator' }
 */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
