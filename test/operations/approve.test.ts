/** One word for equal plans is no word for different versions of what they call: a digest does not have these in it. */

import { expect, test } from 'vitest';
import { performSent, type Plans } from '../../src/operations/index.ts';

const DIGEST = 'ab'.repeat(32);
const waits = (workflowId: string, versions: string) => ({
  ...{ workflowId, versions, revision: 1, digest: DIGEST, kind: 'approval', id: 'approval' },
  send: { name: 'approve', input: { digest: DIGEST } },
});

function plansWith(...items: readonly object[]) {
  const decided: string[] = [];
  const inbox = () => Promise.resolve({ items, groups: [], more: 0, unreachable: [], notAsked: 0 });
  const plans = {
    typed: (command: string) => command,
    session: () => Promise.resolve({ plans: { inbox } }),
    run: (id: string) =>
      Promise.resolve({ run: { decide: () => (decided.push(id), Promise.resolve({ reply: 'approved' })) } }),
  };
  return { decided, plans: plans as unknown as Plans };
}

test('runs of one version are approved together', async () => {
  const { decided, plans } = plansWith(waits('plan-1', 'a'), waits('plan-2', 'a'));
  await performSent('approve', plans, { plan: DIGEST, by: 'reviewer' });
  expect(decided.toSorted()).toEqual(['plan-1', 'plan-2']);
});

test.each([
  ['all that wait', undefined],
  [
    'those that were shown',
    [
      { workflowId: 'plan-1', revision: 1 },
      { workflowId: 'plan-2', revision: 1 },
    ],
  ],
])('of two versions none is, of %s; one of them is, where it alone was shown', async (_, runs) => {
  const { decided, plans } = plansWith(waits('plan-1', 'a'), waits('plan-2', 'b'));
  const message = {
    message: expect.stringContaining('plan-1 and plan-2 have this plan with different versions') as string,
  };
  await expect(performSent('approve', plans, { plan: DIGEST, by: 'reviewer', runs })).rejects.toMatchObject(message);
  expect(decided).toEqual([]);
  await performSent('approve', plans, {
    plan: DIGEST,
    by: 'reviewer',
    runs: [{ workflowId: 'plan-2', revision: 1 }],
  });
  expect(decided).toEqual(['plan-2']);
});
