/** How often what a capability does is attempted, and with which pauses: by the worker that counts and by the run that asks. */

import type { Capability } from '../../define/index.ts';
import type { NodeExecutor } from '../../wire/contract/index.ts';
import { DEFAULT_ATTEMPTS } from './attempts.ts';

const DEFAULT_RETRY: NodeExecutor['retry'] = { attempts: DEFAULT_ATTEMPTS, initialMs: 500, factor: 1.5 };

export function retryOf(capability: Capability | undefined): NodeExecutor['retry'] {
  const { retry = {}, effect = 'read' } = capability ?? {};
  return { ...DEFAULT_RETRY, ...retry, ...(effect === 'at-most-once' && { attempts: 1 }) };
}
