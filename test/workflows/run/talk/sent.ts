/** What is sent to a run, and not looked at yet. */

import type { MessageArrival } from '../../../../src/protocol/index.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { receive } from '../../../../src/workflows/run/talk/inbox.ts';
import { AT } from '../make-run.ts';

export const approve = { digest: '3fa9c1d2', by: 'operator' };

export function pause(by: string) {
  return { action: 'pause', by };
}

export function send(run: Run, payload: unknown, over: Partial<MessageArrival> = {}): number {
  return receive(run, { name: 'control', payload, at: AT, ...over });
}
