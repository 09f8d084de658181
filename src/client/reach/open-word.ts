/** A word in a run's memo that every client can read. */

import { RawValue } from '@temporalio/common';
import { OPEN } from '../../protocol/encryption/index.ts';

/** It is never encrypted: a client without the key could list no run that has an encrypted memo. @param word no secret */
export function openWord(word: string): RawValue {
  const metadata = { encoding: Buffer.from('json/plain'), [OPEN]: Buffer.from('true') };
  return RawValue.fromPayload({ metadata, data: Buffer.from(JSON.stringify(word)) });
}
