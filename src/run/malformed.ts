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

/** What came, in a word or two, for messages. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string')
    return value.length <= 40 ? JSON.stringify(value) : `a text of ${value.length} characters`;
  if (typeof value === 'number' || typeof value === 'boolean') return `${typeof value} ${value}`;
  return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
