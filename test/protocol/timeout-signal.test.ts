/** A limit in time holds although nothing but the signal that it is part of knows it. */

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { aborted, timeoutSignal } from '../../src/protocol/index.ts';
import { collectGarbage } from '../support/collect-garbage.ts';

test('a signal made of others aborts at its limit, after garbage was collected too', { timeout: 20_000 }, async () => {
  const other = new AbortController();
  const ended = aborted(AbortSignal.any([other.signal, timeoutSignal(50)]));
  await setImmediate();
  collectGarbage();
  await expect(ended).rejects.toMatchObject({ name: 'TimeoutError' });
});
