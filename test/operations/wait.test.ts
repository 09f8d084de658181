/** A wait beside a run tells what the run itself waits for. */

import { expect, test } from 'vitest';
import type { Plans } from '../../src/operations/index.ts';
import { wait } from '../../src/operations/wait.ts';
import { fakeRun, status } from '../client/follow/fake-run.ts';

test('a model that is away, and a plan that no model has made, are told in the words of the run', async () => {
  const waits = 'waits for the model server: local answered 503, since 03:04:05 UTC';
  const now = status({ phase: 'awaiting-approval', fallback: true, waits });
  const { run } = fakeRun(Array.from({ length: 10 }, () => ({ status: now })));
  const session = { run };
  const plans = { run: () => Promise.resolve(session) } as unknown as Plans;
  const seen = await wait.run(plans, { workflowId: 'run-1', waitMs: 50, told: [] });
  expect(seen).toMatchObject({ phase: 'awaiting-approval', fallback: true, waits });
});
