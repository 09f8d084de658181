/** The writes to the device room that the words of the scripted people lead to, once each. */

/** The orbit offset that the operator answers, in mm. */
export const OFFSET = 0.4;

/** The current that somebody sets at the device, in A, between the approval and the write; a fresh room has 40. */
export const MOVED_CURRENT = 42;

/** The current that the edited plan focuses with, in A; the plan as written says 44. */
export const EDITED_CURRENT = 46;

export interface ExpectedWrite {
  /** The step that makes it, by its context key. */
  readonly step: string;
  readonly channel: string;
  readonly value: number;
  readonly effect: 'idempotent' | 'at-most-once';
}

export const EXPECTED_WRITES: readonly ExpectedWrite[] = [
  { step: 'steered', channel: 'STEER:1:OFFSET', value: OFFSET, effect: 'idempotent' },
  { step: 'focused', channel: 'QUAD:1:CURRENT', value: EDITED_CURRENT, effect: 'idempotent' },
  { step: 'exposed', channel: 'SHUTTER:1', value: 200, effect: 'at-most-once' },
];
