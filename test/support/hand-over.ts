/** Makes a run go on in a new history, by more messages than its history has room for. */

import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import type { HistoryBudget } from '../../src/protocol/index.ts';

/** For a rig whose runs are to hand over. */
export const SHORT_HISTORIES: HistoryBudget = {
  soft: { events: 40, bytes: 2 ** 20 },
  hard: { events: 400, bytes: 2 ** 22 },
};
const FLOOD = 40;

/** @param run waits for something, and is not paused: it is told to resume, which changes nothing */
export async function handOver(run: WorkflowHandle): Promise<void> {
  const { runId } = await run.describe();
  for (let n = 0; n < FLOOD; n += 1) await run.signal('control', { action: 'resume', by: 'operator' });
  await expect.poll(async () => (await run.describe()).runId).not.toBe(runId);
}
