import type { JsonValue } from '../compiled-plan.ts';

export interface Reference {
  /** The part after `result_from_step_`: the id of a step, or its position. */
  readonly step: string;
  /** The keys from the value to the text with the reference; `[]` if the value is that text. */
  readonly path: readonly (string | number)[];
  /** The text is nothing but the reference: a run replaces it with the result. */
  readonly whole: boolean;
}

const START = 'result_from_step_';
/** Calute: `result_from_step_2`. A name has letters, digits and `_`, with `-` only inside. */
const REFERENCE = /result_from_step_([\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*)/gu;

/** All references in the texts of a value, in document order. Keys of objects do not count. */
export function findReferences(value: JsonValue): readonly Reference[] {
  const found: Reference[] = [];
  search(value, []);
  return found;

  function search(inside: JsonValue, path: readonly (string | number)[]): void {
    if (Array.isArray(inside))
      for (const [at, member] of (inside as readonly JsonValue[]).entries()) search(member, [...path, at]);
    else if (typeof inside === 'object' && inside !== null)
      for (const [key, member] of Object.entries(inside)) search(member, [...path, key]);
    else if (typeof inside === 'string' && inside.includes(START))
      for (const [text, step] of inside.matchAll(REFERENCE))
        found.push({ step: step!, path, whole: text === inside.trim() });
  }
}
