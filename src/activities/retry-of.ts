/** How often what a capability does is attempted, and with which pauses: by the worker that counts and by the run that asks. */

import type { Capability } from '../capabilities/index.ts';
import { USUAL_BOUNDS, type NodeExecutor } from '../protocol/index.ts';

export function retryOf(capability: Capability | undefined): NodeExecutor['retry'] {
  const { retry = {}, effect = 'read' } = capability ?? {};
  return { ...USUAL_BOUNDS.retry, ...retry, ...(effect === 'at-most-once' && { attempts: 1 }) };
}
