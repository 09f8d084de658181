/**
 * The one reader of what another process has sent: a table says what a value must be before anything in it is used. Pure, since
 * a workflow reads replies by it.
 */

import { describeValue as describe } from '../plan/text/index.ts';
import { isNodeId, isRef } from './ids.ts';
import { isDeeperThan, isRecord } from './payload.ts';

/**
 * Levels of lists and objects in a value that somebody else wrote.
 * @bound levels of lists and objects in one value from another process
 * @beyond a request fails (`InvalidInput`) and begins nothing; an answer is refused
 */
export const VALUE_LEVELS = 64;
/**
 * The server takes payloads of 2 MiB.
 * @bound {characters} a text from another process
 * @beyond a request fails (`InvalidInput`) and begins nothing; an answer is refused
 */
const MAX_TEXT = 2 ** 21;
/**
 * @bound {characters} a name from another process
 * @beyond a request fails (`InvalidInput`) and begins nothing; an answer is refused
 */
const MAX_NAME = 200;

type Form = readonly [fits: (value: unknown) => boolean, expected: string];

const FORMS = {
  any: [() => true, 'anything'],
  record: [isRecord, 'an object'],
  json: [(value) => !isDeeperThan(VALUE_LEVELS, value), `a value of at most ${VALUE_LEVELS} levels`],
  text: [(value) => isText(value, MAX_TEXT), `a text of at most ${MAX_TEXT} characters`],
  name: [(value) => isText(value, MAX_NAME), `a text of at most ${MAX_NAME} characters`],
  said: [(value) => value === null || isText(value, MAX_TEXT), 'a text or null'],
  count: [(value) => isWhole(value, Number.MAX_SAFE_INTEGER), 'a whole number from 0'],
  number: [Number.isFinite, 'a finite number'],
  amount: [(value) => Number.isFinite(value) && (value as number) >= 0, 'a finite number from 0'],
  place: [(value) => Number.isSafeInteger(value) && (value as number) >= -1, 'a whole number from -1'],
  time: [(value) => isText(value, MAX_NAME) && Number.isFinite(Date.parse(value as string)), 'a time, ISO 8601'],
  flag: [(value) => typeof value === 'boolean', 'true or false'],
  ref: [isRef, 'a reference into the result store'],
  node: [isNodeId, 'the id of a node, such as "node_3"'],
} as const satisfies Record<string, Form>;

/**
 * A form by its name, `[shape]` for a list of it, `{ field: shape, 'field?': shape }` for a record in which the second may be
 * missing, or a function of its own. Fields that a record has beside these are not looked at: a later version may send them.
 */
export type Shape = keyof typeof FORMS | readonly [Shape] | { readonly [field: string]: Shape } | Check;

/** A shape that is a function of its own, and the type of the values that it lets pass. */
export interface Check<Value = unknown> {
  (value: unknown, path: string): string | undefined;
  readonly passes?: Value;
}

interface Forms extends Record<'text' | 'name' | 'time' | 'ref' | 'node', string> {
  readonly record: Readonly<Record<string, unknown>>;
  readonly said: string | null;
  readonly flag: boolean;
}

/** The type of the values that are of a shape: it is said once, by the table. */
export type Of<S> = S extends keyof Forms
  ? Forms[S]
  : S extends 'any' | 'json'
    ? unknown
    : S extends keyof typeof FORMS
      ? number
      : S extends readonly [infer One]
        ? readonly Of<One>[]
        : S extends Check<infer Value>
          ? Value
          : { readonly [Field in keyof S as Field extends `${string}?` ? never : Field]: Of<S[Field]> } & {
              readonly [Field in keyof S as Field extends `${infer Name}?` ? Name : never]?: Of<S[Field]>;
            };

/** A row for every field of a record: one that is new in its type and not in its table does not compile. */
export type Fields<T> = {
  readonly [K in keyof T & string as Partial<Pick<T, K>> extends Pick<T, K> ? `${K}?` : K]: Shape;
};

/**
 * Why a value is not of the shape, at the first place where it is not; undefined where it is. Never throws.
 * @example problemOf({ 'retry?': 'count' }, { retry: -1 }); // '$.retry: expected a whole number from 0, got number -1'
 */
export function problemOf(shape: Shape, value: unknown, path = '$'): string | undefined {
  if (typeof shape === 'function') return shape(value, path);
  if (typeof shape === 'string') {
    const [fits, expected] = FORMS[shape];
    return fits(value) ? undefined : unexpected(path, expected, value);
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return unexpected(path, 'a list', value);
    return first(value.entries(), ([at, one]) => problemOf(shape[0], one, `${path}[${at}]`));
  }
  if (!isRecord(value)) return unexpected(path, 'an object', value);
  return first(Object.entries(shape), ([field, inner]) => {
    const key = field.replace('?', '');
    const isLeftOut = key !== field && value[key] === undefined;
    return isLeftOut ? undefined : problemOf(inner, value[key], `${path}.${key}`);
  });
}

/** One of these texts. */
export function oneOf<const Text extends string>(texts: readonly Text[]): Check<Text> {
  const expected = texts.map((text) => JSON.stringify(text)).join(' or ');
  return (value, path) => (texts.includes(value as Text) ? undefined : unexpected(path, expected, value));
}

/** A whole number from 0 to `most`. */
export function upTo(most: number): Check<number> {
  return (value, path) =>
    isWhole(value, most) ? undefined : unexpected(path, `a whole number from 0 to ${most}`, value);
}

/** An object whose values are all of one shape, whatever their keys. */
export function eachOf<const S extends Shape>(shape: S): Check<Readonly<Record<string, Of<S>>>> {
  return (value, path) =>
    problemOf('record', value, path) ??
    first(Object.entries(value as object), ([key, one]) => problemOf(shape, one, `${path}[${describe(key)}]`));
}

/** The shape of a value that is chosen by the value of one of its keys. */
export function byKey(key: string, shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, path) => {
    const chosen = isRecord(value) ? String(value[key]) : '';
    return Object.hasOwn(shapes, chosen)
      ? problemOf(shapes[chosen]!, value, path)
      : (problemOf('record', value, path) ??
          unexpected(`${path}.${key}`, Object.keys(shapes).join(' or '), (value as Record<string, unknown>)[key]));
  };
}

/** A value that is of all these shapes. */
export function allOf(...shapes: readonly Shape[]): Shape {
  return (value, path) => first(shapes, (shape) => problemOf(shape, value, path));
}

/** The first shape where a record has the key, else the second. */
export function whereHas<const One extends Shape, const Other extends Shape>(
  key: string,
  shape: One,
  otherwise: Other,
): Check<Of<One> | Of<Other>> {
  return (value, path) => problemOf(isRecord(value) && Object.hasOwn(value, key) ? shape : otherwise, value, path);
}

function first<T>(all: Iterable<T>, problemIn: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const problem = problemIn(one);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isList(shape: object): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function isText(value: unknown, most: number): boolean {
  return typeof value === 'string' && value.length <= most;
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

function unexpected(path: string, expected: string, value: unknown): string {
  return `${path}: expected ${expected}, got ${describe(value)}`;
}
