/**
 * The part of a plan that a capability is handed: its own copy, so that changes to it reach no later attempt and no
 * other run.
 */

import type { JsonValue } from '../plan/index.ts';
import { RunFailureError } from '../protocol/index.ts';

/**
 * A copy of a JSON value. Its depth is bounded by the compiler's and the store's limits on nested values.
 * @param path where it stands, for the message
 * @throws RunFailureError `CRITICAL` for a key `__proto__`: whoever copies an object with it by assignment, as most do,
 *   gives the copy another prototype
 */
export function handedOut(value: JsonValue, path: string): JsonValue {
  if (Array.isArray(value)) return value.map((one: JsonValue, at) => handedOut(one, `${path}[${at}]`));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [key, one] of Object.entries(value as Readonly<Record<string, JsonValue>>)) {
    if (key === '__proto__') {
      throw new RunFailureError('CRITICAL', `${path}: no capability is given a key "__proto__"; name it otherwise`);
    }
    copy[key] = handedOut(one, `${path}.${key}`);
  }
  return copy;
}
