/**
 * Scans JSON text for the facts that JSON.parse does not tell: where a fault is, and the keys and numbers it would pass
 * over.
 */

import { FILE_LIMITS } from './limits.ts';

/**
 * The fault of a JSON text, and the findings that JSON.parse would pass over in silence. Offsets count UTF-16 units
 * from 0.
 */
export interface JsonScan {
  readonly fault?: JsonFault;
  readonly findings: readonly JsonFinding[];
}

export interface JsonFault {
  readonly offset: number;
  /** The text ends before its root closes. */
  readonly truncated: boolean;
  readonly expected: Expected | 'the rest of a text' | typeof FEWER_LEVELS;
}

export interface JsonFinding {
  readonly kind: 'duplicate-key' | 'inexact-number';
  readonly offset: number;
  /**
   * The keys from the root to the member. Empty after the first 200 findings, which is more than a list of issues
   * shows.
   */
  readonly steps: readonly (string | number)[];
  readonly text: string;
}

const MAX_LOCATED = 200;

/** A fault expects this where the text has more levels of lists and objects than are read. */
export const FEWER_LEVELS = 'fewer levels';

/** The value of a JSON text in which each key stands once and no number loses digits; undefined of any other text. */
export function exactJson(text: string): unknown {
  const { fault, findings } = scanJson(text, FILE_LIMITS.valueDepth);
  return fault !== undefined || findings.length > 0 ? undefined : (JSON.parse(text) as unknown);
}

/**
 * Reads a JSON text (RFC 8259) once, iteratively: the first fault with its place, every key that an object has twice,
 * and every integer that a double cannot hold. A text of more than `maxLevels` levels is not read on.
 */
export function scanJson(text: string, maxLevels = Infinity): JsonScan {
  const findings: JsonFinding[] = [];
  const open: Frame[] = [];
  let expected = 'value' as Expected;
  let at = 0;
  for (;;) {
    at = skipSpace(text, at);
    if (at >= text.length) {
      if (expected === 'end') return { findings };
      return faulty(text.length, true);
    }
    const character = text[at]!;
    const top = open.at(-1);
    if (expected === 'end') return faulty(at);
    else if (expected === ':') {
      if (character !== ':') return faulty(at);
      at++;
      expected = 'value';
    } else if (expected === ', or }' || expected === ', or ]') {
      if (character === ',') {
        at++;
        expected = expected === ', or }' ? 'key' : 'value';
        if (top !== undefined && top.keys === undefined) top.index++;
      } else if (character === (expected === ', or }' ? '}' : ']')) close();
      else return faulty(at);
    } else if (character === '}' && expected === 'key or }') close();
    else if (character === ']' && expected === 'value or ]') close();
    else if (expected === 'key' || expected === 'key or }') {
      if (character !== '"') return faulty(at);
      const end = stringEnd(text, at);
      if (end < 0) return faulty(-end - 1, -end - 1 >= text.length, 'the rest of a text');
      readKey(top!, at, end);
      at = end;
      expected = ':';
    } else if (character === '{' || character === '[') {
      if (open.length >= maxLevels) return faulty(at, false, FEWER_LEVELS);
      open.push({ keys: character === '{' ? new Set() : undefined, key: '', index: 0 });
      expected = character === '{' ? 'key or }' : 'value or ]';
      at++;
    } else {
      const end = character === '"' ? stringEnd(text, at) : scalarEnd(text, at);
      if (end < 0) {
        const stop = -end - 1;
        return faulty(stop, stop >= text.length, character === '"' ? 'the rest of a text' : 'value');
      }
      if (end - at > 15) checkNumber(at, end);
      at = end;
      next();
    }
  }

  function faulty(offset: number, truncated = false, what: JsonFault['expected'] = expected): JsonScan {
    return { fault: { offset, truncated, expected: what }, findings };
  }

  function close(): void {
    open.pop();
    at++;
    next();
  }

  function next(): void {
    const container = open.at(-1);
    if (container === undefined) expected = 'end';
    else expected = container.keys === undefined ? ', or ]' : ', or }';
  }

  function readKey(frame: Frame, start: number, end: number): void {
    const raw = text.slice(start + 1, end - 1);
    frame.key = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
    const keys = frame.keys!;
    const before = keys.size;
    if (keys.add(frame.key).size > before) return;
    find('duplicate-key', start, frame.key);
  }

  function checkNumber(start: number, end: number): void {
    const digits = text.slice(start, end);
    if (!/^-?\d+$/.test(digits) || Number.isSafeInteger(Number(digits))) return;
    if (digits.length < 400 && BigInt(digits) === BigInt(Number(digits))) return;
    find('inexact-number', start, digits);
  }

  function find(kind: JsonFinding['kind'], offset: number, found: string): void {
    const steps = findings.length < MAX_LOCATED ? open.map((frame) => (frame.keys ? frame.key : frame.index)) : [];
    findings.push({ kind, offset, steps, text: found });
  }
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or }' | ', or ]' | 'end';

interface Frame {
  /** The keys so far; undefined for a list. */
  readonly keys: Set<string> | undefined;
  key: string;
  index: number;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) break;
  }
  return at;
}

/** The offset after the closing quote, or `-(offset + 1)` of the character that does not belong. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at + 1;
    if (unit < 0x20) return -at - 1;
    if (unit !== 0x5c) continue;
    at++;
    if (at >= text.length) break;
    if (text[at] === 'u') {
      for (let digit = 0; digit < 4; digit++) {
        at++;
        if (at >= text.length) return -text.length - 1;
        if (!/[0-9a-fA-F]/.test(text[at]!)) return -at - 1;
      }
    } else if (!'"\\/bfnrt'.includes(text[at]!)) return -at - 1;
  }
  return -text.length - 1;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORDS = ['true', 'false', 'null'];

/** The offset after a number or a word, or `-(offset + 1)` as above. */
function scalarEnd(text: string, start: number): number {
  NUMBER.lastIndex = start;
  const end = NUMBER.test(text) ? NUMBER.lastIndex : start;
  if (end > start || text[start] === '-') {
    // A number that the end of the text cuts (`-`, `1.`, `1e+`) is cut, not wrong.
    const rest = text.slice(end, end + 3);
    const cut = end + rest.length === text.length && /^(?:-|\.|[eE][+-]?)$/.test(rest);
    return cut ? -text.length - 1 : end > start ? end : -start - 1;
  }
  const word = WORDS.find((each) => text.startsWith(each, start));
  if (word !== undefined) return start + word.length;
  const rest = text.slice(start, start + 5);
  return WORDS.some((each) => each.startsWith(rest)) && start + rest.length === text.length
    ? -text.length - 1
    : -start - 1;
}
