/** An unencrypted text in a run's memo. */

import { RawValue } from '@temporalio/common';
import { OPEN } from '../../protocol/encryption/index.ts';

/** Makes a text that is never encrypted, for clients without the key. @param word must not be secret */
export function openWord(word: string): RawValue {
  const metadata = { encoding: Buffer.from('json/plain'), [OPEN]: Buffer.from('true') };
  return RawValue.fromPayload({ metadata, data: Buffer.from(JSON.stringify(word)) });
}
