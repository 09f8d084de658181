/** One word for equal plans is no word for different versions of what they call: a digest does not have these in it. */

import { expect, test } from 'vitest';
import { performSent, type Plans } from '../../src/operations/index.ts';
import { itemCommand } from '../../src/operations/words/index.ts';

const DIGEST = 'ab'.repeat(32);
const waits = (workflowId: string, versions: string, more: { readonly shown?: string } = {}) => ({
  ...{ workflowId, versions, ...more, revision: 1, digest: DIGEST, kind: 'approval', id: 'approval' },
  send: { name: 'approve', input: { digest: DIGEST } },
});

function plansWith(...items: readonly object[]) {
  const decided: string[] = [];
  const inbox = () => Promise.resolve({ items, groups: [], more: 0, unreachable: [], notAsked: 0 });
  const plans = {
    typed: (command: string) => command,
    session: () => Promise.resolve({ plans: { inbox } }),
    run: (id: string) =>
      Promise.resolve({
        run: {
          workflowId: id,
          view: () => Promise.resolve({ open: items.filter((item) => 'workflowId' in item && item.workflowId === id) }),
          decide: () => (decided.push(id), Promise.resolve({ reply: 'approved' })),
        },
      }),
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

test.each([
  ['another state or cost', { shown: 'b'.repeat(64) }],
  ['neither', {}],
])('a run that shows %s is not approved with the others', async (_, shown) => {
  const first = waits('plan-1', 'a', { shown: 'a'.repeat(64) });
  const { decided, plans } = plansWith(first, waits('plan-2', 'a', shown));
  const message = expect.stringContaining('plan-1 and plan-2 have this plan with different costs or states') as string;
  const approving = performSent('approve', plans, { plan: DIGEST, by: 'reviewer' });
  await expect(approving).rejects.toMatchObject({ message });
  expect(decided).toEqual([]);
});

test.each([
  [undefined, 'refused'],
  [100, 'refused'],
  [101, 'taken'],
])(
  'a plan whose card lacks something is approved by whoever has seen all of it: %s of 101 is %s',
  async (allSeen, how) => {
    const item = { ...waits('plan-1', 'a'), leftOut: 'not shown here: 1 effects; planwright effects plan-1 shows all' };
    const { decided, plans } = plansWith({ ...item, effectCount: 101 });
    const input = { workflowId: 'plan-1', digest: DIGEST.slice(0, 8), by: 'reviewer' };
    const approving = performSent('approve', plans, { ...input, allSeen });
    if (how === 'taken') await approving;
    else
      await expect(approving).rejects.toMatchObject({
        code: 'REFUSED',
        message: expect.stringContaining('shows all') as string,
      });
    expect(decided).toEqual(how === 'taken' ? ['plan-1'] : []);
    // The same by its digest, in every run that waits for it.
    const each = await performSent('approve', plans, { plan: DIGEST, by: 'reviewer', allSeen });
    expect(each).toMatchObject(how === 'taken' ? { refused: [] } : { approved: [], refused: [{ code: 'REFUSED' }] });
    expect(decided.splice(0)).toEqual(how === 'taken' ? ['plan-1', 'plan-1'] : []);
    // Nobody is kept from a no.
    await performSent('reject', plans, input);
    expect(decided).toHaveLength(1);
    expect(itemCommand(item as never, (command) => command)).toBe('effects plan-1');
  },
);
