import { describeValue as describe, quote } from '../plan/text/index.ts';

export { describe };

/** The marker for a value that the payload converter could not decode. Forged markers are rejected too. */
export interface Malformed {
  readonly malformed: true;
  readonly encoding: string;
  readonly reason: string;
}

export function isMalformed(value: unknown): value is Malformed {
  return isRecord(value) && value['malformed'] === true;
}

const ENCRYPTED = 'binary/encrypted';

/** Whether a value is the marker of a payload that the worker could not decrypt. */
export function isUndecrypted(value: unknown): value is Malformed {
  return isMalformed(value) && value.encoding === ENCRYPTED;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks level by level, since the sender decides the depth of the value and recursion could overflow the stack. */
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

/** Length of a page in UTF-16 code units. Each takes at most 3 bytes of UTF-8, so a page has at most 1 MiB. */
const PAGE = 349_000;

/** Splits a text into pages that give the text when joined. Never splits a surrogate pair. */
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

/** The return type of `given`: members that may be undefined are optional. */
export type Given<Fields extends object> = {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & {
  readonly [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined>;
};

/** Drops undefined members. @example given({ role: undefined, by: 'operator' }); // { by: 'operator' } */
export function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}

/** Reads a value. If the value is invalid, returns undefined and adds a problem with the path. */
export type FieldReader<T> = (value: unknown, path: string, problems: string[]) => T | undefined;
type Rows = Readonly<Record<string, FieldReader<unknown>>>;

/**
 * Reads the valid fields of an object, and reports invalid and unknown fields as problems. `advice` is printed after
 * unknown fields.
 */
export function readRows<R extends Rows>(
  from: Record<string, unknown>,
  rows: R,
  path: string,
  problems: string[],
  advice: string,
): { readonly [Key in keyof R]?: NonNullable<ReturnType<R[Key]>> } {
  pushAll(problems, unknownKeys(from, Object.keys(rows), path, advice));
  const fields = Object.entries(rows).map(([key, read]) => {
    const value = from[key];
    return [key, value === undefined ? undefined : read(value, `${path}.${key}`, problems)] as const;
  });
  return given(Object.fromEntries(fields));
}

export function fieldReader<T>(read: (value: unknown) => T | undefined, expected: string): FieldReader<T> {
  return (value, path, problems) => {
    const valid = read(value);
    if (valid === undefined) problems.push(`${path}: expected ${expected}, got ${describe(value)}`);
    return valid;
  };
}

export function choiceOf<const T extends string>(allowed: readonly T[]): FieldReader<T> {
  return fieldReader(
    (value) => allowed.find((each) => each === value),
    allowed.map((each) => `"${each}"`).join(' or '),
  );
}

export function countUpTo(max = Number.MAX_SAFE_INTEGER): FieldReader<number> {
  const isCount = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;
  return fieldReader((value) => (isCount(value) ? value : undefined), `a whole number from 1 to ${max}`);
}

/** `push` with a hundred thousand arguments would overflow the stack. */
export function pushAll(problems: string[], more: readonly string[]): void {
  for (const problem of more) problems.push(problem);
}

export function unknownKeys(
  value: Record<string, unknown>,
  known: readonly string[],
  path: string,
  advice: string,
): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${path}: unknown key ${quote(key)}. ${advice}`);
}
