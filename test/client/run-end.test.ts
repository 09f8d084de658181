/** A client that waits for the end of a run while its server is away. */

import { expect, onTestFinished, test } from 'vitest';
import { waitForEnd } from '../../src/client/run-end.ts';

test('makes no warning of the many calls of one wait', async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error) => warnings.push(warning);
  process.on('warning', hear);
  onTestFinished(() => void process.off('warning', hear));
  let given: AbortSignal | undefined;
  // A double of the SDK, which leaves a listener at the signal for each of its calls.
  const connection = {
    withAbortSignal(signal: AbortSignal, call: () => unknown) {
      given = signal;
      for (let calls = 0; calls < 20; calls += 1) signal.addEventListener('abort', () => calls);
      return call();
    },
  };
  const handle = { workflowId: 'plan-1', client: { connection }, result: () => Promise.resolve({ outcome: 'done' }) };
  const place = { address: '127.0.0.1:1', namespace: 'default', taskQueue: 'plans' };
  const end = await waitForEnd(handle as never, place);
  expect(end).toEqual({ how: 'completed', result: { outcome: 'done' } });
  // A warning is told with the next turn of the event loop.
  await new Promise(setImmediate);
  expect(given).toBeDefined();
  expect(warnings).toEqual([]);
});
