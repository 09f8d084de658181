/**
 * Cancellation scopes that nothing keeps once their work has ended. The SDK (1.23 and 1.24) adds each scope to the promise of
 * its parent's cancellation. In a run that promise never settles, so it would keep the scopes of all nodes that have ended,
 * with the arguments of their activities.
 *
 * Undocumented: the SDK calls only `catch` of the parent's promise. Test: test/workflows/run/yield-turn.test.ts. Remove it when
 * the SDK releases the scope of work that has ended.
 */

import { CancellationScope } from '@temporalio/workflow';

// Each run loads the modules of this folder again.
let parent: CancellationScope | undefined;

/** Only its own `cancel` cancels it: nothing cancels the scope in which a run takes its turns (`runLoop`). */
export function openScope(): CancellationScope {
  parent ??= Object.defineProperty(new CancellationScope({ cancellable: false }), 'cancelRequested', {
    value: { catch: () => undefined },
  });
  return new CancellationScope({ cancellable: true, parent });
}
