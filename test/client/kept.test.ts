/** What is said to a run before it has a plan: its sender hears how it was taken, not only that it was kept. */

import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test, vi } from 'vitest';
import type { Bounded } from '../../src/client/ask-run.ts';
import { deliverMessage } from '../../src/client/send-message.ts';
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
  deliverMessage(handle, bounded, 'decide', { kind: 'approve', digest: 'ffffffff', by: 'operator' }, undefined);

test('a wrong digest right after the start is refused when there is a plan, not kept', async () => {
  const reason = 'the open plan is 3fa9c1d2';
  const refused: Reply = { ok: false, refusal: 'stale-digest', reason };
  await expect(decide(drafting(refused, 3))).rejects.toMatchObject({ code: 'stale', message: reason });
});

test('the right one is answered', async () => {
  expect(await decide(drafting({ ok: true, reply: 'approved' }, 1))).toEqual({ how: 'answered', reply: 'approved' });
});

/** A double of a run whose first update fails in these words; it answers the query `reply` so, and is open or not. */
function cutOff(error: Error, reply: Reply | null, status: 'RUNNING' | 'COMPLETED') {
  const taken: Reply = { ok: true, reply: 'approved' };
  const startUpdate = vi
    .fn(() => Promise.resolve({ result: () => Promise.resolve(taken) }))
    .mockRejectedValueOnce(error);
  const query = (name: string) => (name === 'reply' ? Promise.resolve(reply) : Promise.reject(new Error('closed')));
  const own = { startUpdate, query, describe: () => Promise.resolve({ status: { name: status } }) };
  return { handle: { ...drafting(taken, 0), ...own } as unknown as WorkflowHandle, startUpdate };
}

const grpc = (code: number, details: string) =>
  Object.assign(new Error(`${code}: ${details}`), { code, details, metadata: {} });

describe.each([
  new Error('words of a server that is yet to come'),
  grpc(5, 'workflow execution not found'),
  grpc(9, 'the task was given up'),
  grpc(14, 'moved'),
])('an update that fails with %s', (error) => {
  test('is answered by what the run remembers', async () => {
    const { handle, startUpdate } = cutOff(error, { ok: true, reply: 'approved before' }, 'COMPLETED');
    expect(await decide(handle)).toEqual({ how: 'answered', reply: 'approved before' });
    expect(startUpdate).toHaveBeenCalledOnce();
  });

  test('is sent again while the run is open, with its id', async () => {
    const { handle, startUpdate } = cutOff(error, null, 'RUNNING');
    expect(await decide(handle)).toEqual({ how: 'answered', reply: 'approved' });
    const ids = startUpdate.mock.calls.map((call: unknown[]) => (call[1] as { updateId: string }).updateId);
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  test('says that the run is closed', async () => {
    const { handle } = cutOff(error, null, 'COMPLETED');
    await expect(decide(handle)).rejects.toMatchObject({ code: 'run-closed', cause: error });
  });
});

test('what the server calls invalid is not sent again', async () => {
  const { handle, startUpdate } = cutOff(grpc(3, 'too long'), null, 'RUNNING');
  await expect(decide(handle)).rejects.toThrow('too long');
  expect(startUpdate).toHaveBeenCalledOnce();
});
