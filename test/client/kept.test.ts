/** What is said to a run before it has a plan: its sender hears how it was taken, not only that it was kept. */

import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { Bounded } from '../../src/client/ask-run.ts';
import { say } from '../../src/client/say.ts';
import type { Reply } from '../../src/protocol/index.ts';

const KEPT: Reply = { ok: true, reply: 'kept until the plan is compiled', kept: true };
const bounded: Bounded = (work) => work();

/** A double of a run that keeps what is said, and answers behind it when it has been asked so often. */
function drafting(behind: Reply, asks: number): WorkflowHandle {
  let asked = 0;
  return {
    workflowId: 'plan-1',
    client: { connection: { withDeadline: (_: number, call: () => Promise<unknown>) => call() } },
    startUpdate: () => Promise.resolve({ result: () => Promise.resolve(KEPT) }),
    query: () => Promise.resolve((asked += 1) < asks ? KEPT : behind),
  } as unknown as WorkflowHandle;
}

const decide = (handle: WorkflowHandle) =>
  say(handle, bounded, 'decide', { kind: 'approve', digest: 'ffffffff', by: 'operator' }, undefined);

test('a wrong digest right after the start is refused when there is a plan, not kept', async () => {
  const reason = 'the open plan is 3fa9c1d2';
  const refused: Reply = { ok: false, refusal: 'stale-digest', reason };
  await expect(decide(drafting(refused, 3))).rejects.toMatchObject({ code: 'stale', message: reason });
});

test('the right one is answered', async () => {
  expect(await decide(drafting({ ok: true, reply: 'approved' }, 1))).toEqual({ how: 'answered', reply: 'approved' });
});
