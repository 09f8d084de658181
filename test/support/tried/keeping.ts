/** Bounds of encryption, and of what is restored, each with the test that gives more. */

import type { Tried } from '../tried-bounds.ts';

export const TRIED_KEEPING: readonly Tried[] = [
  ['wire/encryption/keyring.ts MAX_KEYS', 'encryption/keyring.test.ts', 'length: 51'],
  ['wire/encryption/payload-codec.ts SHOWN', 'encryption/payload-codec.test.ts', "'x'.repeat(1000)"],
  ['cli/working/codec-server.ts MAX_BODY_BYTES', 'cli/codec-server.test.ts', "'x'.repeat(33_554_432)"],
  ['cli/working/codec-server.ts MAX_CONNECTIONS', 'cli/codec-server.test.ts', 'n < 101'],
  ['worker/activities/done-there.ts ANSWER_MS', 'activities/done-there.test.ts', '15_000'],
];
