/** Tells apart the values that arrive in a payload, before anything in them is believed. */

export { describeValue as describe } from '../../language/text/index.ts';

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
