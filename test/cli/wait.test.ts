/** A wait for a run ends at the signals by which a program is told to end. */

import { expect, test } from 'vitest';
import { startWait } from '../../src/cli/wait.ts';

test.each(['SIGINT', 'SIGTERM'] as const)('a wait ends at %s, and says what goes on', (signal) => {
  const others = process.listeners(signal);
  process.removeAllListeners(signal);
  const wait = startWait({ typed: '', ms: undefined }, 'the run goes on');
  process.emit(signal, signal);
  wait.end();
  expect(process.listenerCount(signal)).toBe(0);
  for (const other of others) process.on(signal, other);
  expect(wait.signal.reason).toMatchObject({ code: 'INTERRUPTED', message: 'interrupted; the run goes on' });
});
