/** References such as `result_from_step_2` inside texts and values. */

import type { JsonValue } from '../compiled-plan.ts';

/** A place in a value that names the result of another step. */
export interface Reference {
  /** The part after `result_from_step_`: the id of a step, or its position. */
  readonly step: string;
  /** The keys from the value down to the text that holds the reference; `[]` when the value is that text. */
  readonly path: readonly (string | number)[];
  /** The text is the reference and nothing else: a run puts the result in its place. */
  readonly whole: boolean;
}

/** Calute: `result_from_step_2`. A name is of letters, digits and `_`, with `-` only inside. */
export const REFERENCE = /result_from_step_([\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*)/gu;

/**
 * All references in the texts of a value, in document order. Iterative, for any depth; keys of objects are not read.
 *
 * @example findReferences({ ids: 'result_from_step_2' }); // [{ step: '2', path: ['ids'], whole: true }]
 */
export function findReferences(value: JsonValue): readonly Reference[] {
  const found: Reference[] = [];
  const open: Frame[] = [{ values: [value], keys: undefined, next: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    if (top.next === top.values.length) {
      open.pop();
      continue;
    }
    const member = top.values[top.next++]!;
    if (typeof member === 'string') findInText(member, open, found);
    else if (typeof member === 'object' && member !== null) open.push(frameOf(member));
  }
  return found;
}

/** Whether a text, or the JSON of a value, can hold a reference at all. */
export function mayRefer(text: string | undefined): text is string {
  return text?.includes(START) === true;
}

const START = 'result_from_step_';

interface Frame {
  readonly values: readonly JsonValue[];
  /** Only of an object. */
  readonly keys: readonly string[] | undefined;
  next: number;
}

function frameOf(value: readonly JsonValue[] | { readonly [key: string]: JsonValue }): Frame {
  if (isList(value)) return { values: value, keys: undefined, next: 0 };
  return { values: Object.values(value), keys: Object.keys(value), next: 0 };
}

function findInText(text: string, open: readonly Frame[], found: Reference[]): void {
  if (!mayRefer(text)) return;
  const bare = text.trim();
  for (const match of text.matchAll(REFERENCE)) {
    const path = open.slice(1).map((frame) => frame.keys?.[frame.next - 1] ?? frame.next - 1);
    found.push({ step: match[1]!, path, whole: match[0] === bare });
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
