/** The workflows of a program that had a worker before it had plans. */

import { proxyActivities, setHandler, defineQuery, condition, defineSignal } from '@temporalio/workflow';
import type { guestActivities } from './guest-activities.ts';

export * from '../../src/workflows/index.ts';

const { greet } = proxyActivities<typeof guestActivities>({ startToCloseTimeout: '10 seconds' });

export async function guest(name: string): Promise<string> {
  let isFree = false;
  setHandler(defineQuery<string>('name'), () => name);
  setHandler(defineSignal('go'), () => void (isFree = true));
  await condition(() => isFree);
  return greet(name);
}
