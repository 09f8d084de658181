/** Notices of runs while a list fails, and of runs that are stuck, that end, and that are stuck on another day. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRunNotices } from '../../../src/config/notify/index.ts';
import type { RunNotice } from '../../../src/config/notify/messages.ts';

const NOW = Date.parse('2026-01-03T00:00:00.000Z');
beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

function noticesOf(lists: (query: string) => readonly object[]) {
  const sent: (RunNotice & { readonly workflowId: string; readonly isStill: () => boolean })[] = [];
  const queries: string[] = [];
  const client = {
    connection: { withDeadline: (_at: number, call: () => Promise<unknown>) => call() },
    workflow: {
      async *list({ query }: { readonly query: string }) {
        queries.push(query);
        for (const run of lists(query)) yield run;
      },
      getHandle: (id: string) => ({ describe: async () => ({ raw: {}, runId: `first-${id}` }) }),
    },
  };
  const notifier = {
    run: async (
      { workflowId }: { readonly workflowId: string },
      notice: RunNotice,
      _: number,
      isStill: () => boolean,
    ) => void sent.push({ workflowId, ...notice, isStill }),
  };
  const connected = { client, namespace: 'default' };
  const times = { lookMs: 0, unservedMs: 0 };
  return { sent, queries, ...createRunNotices({ connected, taskQueue: 'q', notifier, times } as never) };
}

test('a failed run is told of although the running ones cannot be listed; the server is asked for the queue', async () => {
  const { look, sent, queries } = noticesOf((query) => {
    if (query.includes("'Running'")) throw new Error('too slow');
    const run = { runId: 'r', status: { name: 'FAILED' }, closeTime: new Date(NOW) };
    return [
      { ...run, workflowId: 'plan-1', taskQueue: 'q' },
      { ...run, workflowId: 'plan-2', taskQueue: 'other' },
    ];
  });
  await look();
  expect(sent.map(({ kind, workflowId }) => `${kind} ${workflowId}`)).toEqual(['run-failed plan-1']);
  expect(queries).toEqual([
    expect.stringMatching(/ TaskQueue != 'q'$/) as string,
    expect.stringMatching(/ TaskQueue = 'q'$/) as string,
  ]);
});

test('a run that is stuck is told of until it ends, and again on another day', async () => {
  const { look, sent, stuck, keepStuck } = noticesOf(() => []);
  stuck('plan-1');
  await look();
  expect(sent[0]).toMatchObject({ kind: 'no-worker', workflowId: 'plan-1', key: 'stuck 2026-01-03' });
  expect(sent[0]!.isStill()).toBe(true);
  keepStuck(new Set());
  expect(sent[0]!.isStill()).toBe(false);
  await look();
  expect(sent).toHaveLength(1);
  vi.setSystemTime(NOW + 86_400_000);
  stuck('plan-1');
  keepStuck(new Set(['plan-1']));
  await look();
  expect(sent[1]).toMatchObject({ workflowId: 'plan-1', key: 'stuck 2026-01-04' });
});
