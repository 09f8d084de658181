/** A build that waits before it reads its input: another order of commands, for every run, also for those under way. */

import { sleep } from '@temporalio/workflow';
import { planWorkflow as planWorkflowBefore } from '../../src/workflows/index.ts';

export async function planWorkflow(input: unknown): Promise<unknown> {
  await sleep(1);
  return planWorkflowBefore(input);
}
