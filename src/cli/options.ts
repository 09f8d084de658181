/** The kinds of options: what the help shows of one, and how what was typed becomes the value that an action reads. */

import { durationMs } from '../protocol/index.ts';
import { OperationError } from '../operations/index.ts';

/** `Value` is what the action gets; it includes `undefined` where the option may be left out. */
export interface OptionKind<Value> {
  readonly description: string;
  /** The word behind the option's name, such as `<file>`; `''` for a flag. */
  readonly placeholder: string;
  /** A short form of a flag, such as `-y`. */
  readonly short?: string;
  /** The flag is written `--no-NAME`, and takes away what is so without it. */
  readonly isNegated?: true;
  readonly isRequired?: true;
  readonly initial?: Value;
  /** Reads one word that was typed. @throws OperationError USAGE that names the flag. Without it the word is the value. */
  readonly read?: (typed: string, flag: string) => Value;
}

export type Flags = { readonly [name: string]: OptionKind<unknown> };
/** The values of flags, by their names. */
export type Values<F extends Flags> = { readonly [Name in keyof F]: F[Name] extends OptionKind<infer V> ? V : never };

/** A length of time as it was typed. */
export interface Duration {
  readonly typed: string;
  /** undefined: without end. */
  readonly ms: number | undefined;
}

export function flag(description: string, short?: string): OptionKind<true | undefined> {
  return { description, placeholder: '', ...(short !== undefined && { short }) };
}

export function negated(description: string): OptionKind<boolean> {
  return { description, placeholder: '', isNegated: true };
}

export function text(placeholder: string, description: string): OptionKind<string | undefined> {
  return { description, placeholder };
}

/** With a value where nothing is typed. */
export function or<Value>(initial: NoInfer<Value>, kind: OptionKind<Value | undefined>): OptionKind<Value> {
  return { ...(kind as OptionKind<Value>), initial };
}

/** With or without a word: `--model` or `--model http://127.0.0.1:8080/v1`. */
export function textOrFlag(word: string, description: string): OptionKind<string | true | undefined> {
  return { description, placeholder: `[${word}]` };
}

/** Words behind one another: `--role operator safety`. */
export function texts(word: string, description: string): OptionKind<readonly string[] | undefined> {
  return { description, placeholder: `<${word}...>` };
}

/** Names with commas between. */
export function names(placeholder: string, description: string): OptionKind<readonly string[] | undefined> {
  return { description, placeholder, read: readNames };
}

/** A whole number, of at least `from`. */
export function count(description: string, from = 1): OptionKind<number | undefined> {
  return { description, placeholder: '<n>', read: (typed, option) => readCount(option, typed, from) };
}

export function duration(description: string): OptionKind<Duration | undefined> {
  return { description, placeholder: '<duration>', read: (typed, option) => readDuration(option, typed) };
}

export function choice<const One extends string>(
  placeholder: string,
  description: string,
  known: readonly One[],
): OptionKind<One | undefined> {
  return { description, placeholder, read: (typed, option) => readChoice(option, typed, known) };
}

/** `0` and `0s` are no limit, as for the Temporal CLI. */
export function readDuration(option: string, typed: string): Duration {
  const ms = durationMs(typed);
  if (/^0+[a-z]*$/.test(typed.trim())) return { typed, ms: undefined };
  if (ms !== undefined) return { typed, ms };
  throw new OperationError('USAGE', `${option}: expected a duration such as 90s, 10m or 24h, got "${typed}"`);
}

export function readChoice<const One extends string>(option: string, typed: string, known: readonly One[]): One {
  const found = known.find((one) => one === typed);
  if (found !== undefined) return found;
  throw new OperationError('USAGE', `${option}: expected ${known.join(' or ')}, got "${typed}"`);
}

function readCount(option: string, typed: string, from: number): number {
  const whole = /^\d{1,15}$/.test(typed.trim()) ? Number(typed) : -1;
  if (whole >= from) return whole;
  throw new OperationError('USAGE', `${option}: expected a whole number from ${from}, got "${typed}"`);
}

function readNames(typed: string): readonly string[] {
  return typed
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** `maxDepth` is `max-depth`. */
export function dashed(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
