/**
 * Opens cancellation scopes that can be garbage-collected when their work has ended. The SDK (1.23 and 1.24) adds each
 * scope to the promise of its parent's cancellation, which never settles in a run, so all scopes and their activities'
 * arguments would stay in memory. It is undocumented that the SDK calls only `catch` of that promise. Test:
 * test/workflows/run/yield-turn.test.ts. Remove this file when the SDK releases the scope of ended work.
 */

import { CancellationScope } from '@temporalio/workflow';

// Each run has its own copy of this variable, since the SDK loads the modules of this folder again for each run.
let parent: CancellationScope | undefined;

/** Opens a scope that only its own `cancel` cancels. The main loop around it (`runLoop`) is never cancelled. */
export function openScope(): CancellationScope {
  parent ??= Object.defineProperty(new CancellationScope({ cancellable: false }), 'cancelRequested', {
    value: { catch: () => undefined },
  });
  return new CancellationScope({ cancellable: true, parent });
}
