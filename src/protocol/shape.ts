/** Validates values from other processes by tables that describe them. Pure, since workflows use it too. */

import type { JsonValue } from '../plan/index.ts';
import { describeValue as describe } from '../plan/text/index.ts';
import { isNodeId, isRef } from './ids.ts';
import { isDeeperThan, isRecord } from './payload.ts';

/** Maximum levels of lists and objects in a value from another process. */
export const VALUE_LEVELS = 64;
/** Maximum length of a text, in characters. The server accepts payloads of up to 2 MiB. */
const MAX_TEXT = 2 ** 21;
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
  true: [(value) => value === true, 'true'],
  ref: [isRef, 'a reference into the result store'],
  node: [isNodeId, 'the id of a node, such as "node_3"'],
} as const satisfies Record<string, Form>;

type FormName = keyof typeof FORMS;

/**
 * Describes a value of JSON. A shape is the name of a form (with `?` if the value may be missing), `[shape]` for a
 * list, `{ field: shape }` for a record, or a function. Unknown fields of a record are ignored, since a later version
 * may send them. The type of the value is `Of<typeof TABLE>`, and the comment of a row is the comment of the field.
 */
export type Shape = FormName | `${FormName}?` | readonly [Shape] | { readonly [field: string]: Shape } | Check;

/** A shape that is a function, with the type of the values that pass it. */
export interface Check<Value = unknown> {
  (value: unknown, path: string): string | undefined;
  readonly passes?: Value;
}

export interface Maybe<Value = unknown> extends Check<Value> {
  readonly isMaybe: true;
}

interface Forms extends Record<'text' | 'name' | 'time' | 'ref' | 'node', string> {
  readonly any: unknown;
  readonly json: unknown;
  readonly record: Readonly<Record<string, unknown>>;
  readonly said: string | null;
  readonly flag: boolean;
  readonly true: true;
}

/** The TypeScript type of the values that a shape describes. */
export type Of<S> = S extends FormName
  ? S extends keyof Forms
    ? Forms[S]
    : number
  : S extends `${infer Name}?`
    ? Of<Name>
    : S extends readonly [infer One]
      ? readonly Of<One>[]
      : S extends Check<infer Value>
        ? Value
        : Has<S, Exclude<keyof S, MayMiss<S>>> & MayHave<S, MayMiss<S>>;

// The keys are mapped unchanged, since a mapped type that renames keys (`as`) would lose the fields' comments.
type MayMiss<S> = { [Field in keyof S]: S[Field] extends `${string}?` | Maybe ? Field : never }[keyof S];
type Has<S, Fields extends keyof S> = { readonly [Field in Fields]: Of<S[Field]> };
type MayHave<S, Fields extends keyof S> = { readonly [Field in Fields]?: Of<S[Field]> };

/**
 * Finds the first problem of a value. Returns undefined if the value has the shape. Never throws.
 * @example problemOf({ retry: 'count?' }, { retry: -1 }); // '$.retry: expected a whole number from 0, got number -1'
 */
export function problemOf(shape: Shape, value: unknown, path = '$'): string | undefined {
  if (typeof shape === 'function') return shape(value, path);
  if (typeof shape === 'string') {
    const form = shape.replace('?', '') as FormName;
    const [isFit, expected] = FORMS[form];
    return (form !== shape && value === undefined) || isFit(value) ? undefined : unexpected(path, expected, value);
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return unexpected(path, 'a list', value);
    return first(value.entries(), ([at, one]) => problemOf(shape[0], one, `${path}[${at}]`));
  }
  if (!isRecord(value)) return unexpected(path, 'an object', value);
  return first(Object.entries(shape), ([field, inner]) => problemOf(inner, value[field], `${path}.${field}`));
}

export function fits<const S extends Shape>(shape: S, value: unknown): value is Of<S> {
  return problemOf(shape, value) === undefined;
}

/** Makes a shape optional, as `?` does in a shape's text. */
export function maybe<const S extends Shape>(shape: S): Maybe<Of<S>> {
  const check: Check = (value, path) => (value === undefined ? undefined : problemOf(shape, value, path));
  return Object.assign(check, { isMaybe: true } as const) as Maybe<Of<S>>;
}

/** Declares that a shape has the type `Value`. TypeScript does not check that. */
export function typed<Value>(shape: Shape): Check<Value> {
  return (value, path) => problemOf(shape, value, path);
}

export const ANY_JSON = typed<JsonValue>('any');

export function oneOf<const Text extends string>(texts: readonly Text[]): Check<Text> {
  const expected = texts.map((text) => JSON.stringify(text)).join(' or ');
  return (value, path) => (texts.includes(value as Text) ? undefined : unexpected(path, expected, value));
}

export function textUpTo(most: number): Check<string> {
  return (value, path) =>
    isText(value, most) ? undefined : unexpected(path, `a text of at most ${most} characters`, value);
}

export function upTo(most: number): Check<number> {
  return (value, path) =>
    isWhole(value, most) ? undefined : unexpected(path, `a whole number from 0 to ${most}`, value);
}

/** An object with any keys whose values all have one shape. */
export function eachOf<const S extends Shape>(shape: S): Check<Readonly<Record<string, Of<S>>>> {
  return (value, path) =>
    problemOf('record', value, path) ??
    first(Object.entries(value as object), ([key, one]) => problemOf(shape, one, `${path}[${describe(key)}]`));
}

/** Chooses the shape of a record by the value of one key. */
export function byKey<const Key extends string, const S extends Readonly<Record<string, Shape>>>(
  key: Key,
  shapes: S,
): Check<{ [Word in keyof S]: Readonly<Record<Key, Literal<Word>>> & Of<S[Word]> }[keyof S]> {
  return (value, path) => {
    if (!isRecord(value)) return unexpected(path, 'an object', value);
    const word = value[key];
    // The keys of `shapes` are texts, but the text 'false' must not be accepted as the boolean false.
    const isWord = typeof word === 'boolean' || (word !== 'true' && word !== 'false');
    const shape = isWord && Object.hasOwn(shapes, String(word)) ? shapes[String(word)] : undefined;
    return shape === undefined
      ? unexpected(`${path}.${key}`, Object.keys(shapes).join(' or '), word)
      : problemOf(shape, value, path);
  };
}

type Literal<Word> = Word extends 'true' ? true : Word extends 'false' ? false : Word;

export function allOf<const Shapes extends readonly Shape[]>(...shapes: Shapes): Check<All<Shapes>> {
  return (value, path) => first(shapes, (shape) => problemOf(shape, value, path));
}

type All<Shapes> = Shapes extends readonly [infer One, ...infer Others] ? Of<One> & All<Others> : unknown;

/** Checks a record by the first shape if the record has the key, otherwise by the second shape. */
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
