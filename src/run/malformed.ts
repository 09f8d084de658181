export { describeValue as describe } from '../text/index.ts';

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
