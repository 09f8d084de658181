/** Signals under names that Temporal keeps for itself are heard as unknown ones; the SDK's own refusal would stop the run for good. */

import { TEMPORAL_RESERVED_PREFIX } from '@temporalio/common/lib/reserved.js';
import type { WorkflowInterceptors } from '@temporalio/workflow';
import { isOwn } from './own-types.ts';

/** Stands in front of such a name, so that the SDK hands it on and the trace still tells the name that came. */
const MARK = 'reserved name: ';

/** Loaded by its path, as an interceptor module of the bundle. */
export function interceptors(): WorkflowInterceptors {
  if (!isOwn()) return {};
  return {
    internals: [
      {
        activate(input, next) {
          for (const { signalWorkflow: signal } of input.activation.jobs ?? []) {
            const name = signal?.signalName ?? '';
            if (signal && name.startsWith(TEMPORAL_RESERVED_PREFIX)) signal.signalName = MARK + name;
          }
          next(input);
        },
      },
    ],
  };
}
