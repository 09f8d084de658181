/** A wait beside a run tells what the run itself waits for. */

import { expect, test } from 'vitest';
import type { Plans } from '../../src/operations/index.ts';
import { wait } from '../../src/operations/wait.ts';
import { DONE, status } from '../client/follow/fake-run.ts';

test('a model that is away, and a plan that no model has made, are told in the words of the run', async () => {
  const waits = 'waits for the model server: local answered 503, since 03:04:05 UTC';
  const now = status({ phase: 'awaiting-approval', fallback: true, waits });
  const run = {
    workflowId: 'run-1',
    status: () => Promise.resolve(now),
    nodes: async function* () {},
    questions: async function* () {},
    attempts: () => Promise.resolve([]),
    feedback: () => Promise.resolve([]),
    end: (signal?: AbortSignal) =>
      new Promise((resolve, reject) => {
        if (signal === undefined) resolve(DONE);
        else signal.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  };
  const session = { run, address: 'here', answers: () => Promise.resolve(true) };
  const plans = { run: () => Promise.resolve(session) } as unknown as Plans;
  const seen = await wait.run(plans, { workflowId: 'run-1', waitMs: 50, told: [] });
  expect(seen).toMatchObject({ phase: 'awaiting-approval', fallback: true, waits });
});
