/** The same change behind a patch: runs under way keep the order that their history has. */

import { patched } from '@temporalio/workflow';
import { planWorkflow as planWorkflowBefore } from '../../src/workflows/index.ts';
import { planWorkflow as planWorkflowAfter } from './build-of-other-order.ts';

export async function planWorkflow(input: unknown): Promise<unknown> {
  return patched('wait-first') ? planWorkflowAfter(input) : planWorkflowBefore(input);
}
