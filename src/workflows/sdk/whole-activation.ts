/**
 * A turn takes all that an activation brings at once, facts before messages. The SDK's core does not always cut the events of a history
 * into the same activations when it replays (docs/decisions/queries.md), so a turn must depend neither on which job came first nor on
 * where an update stands among the ends of work that came with it.
 *
 * Not promised: that the SDK (1.23 and 1.24) evaluates a condition when it is made, and next when all jobs of the activation and the
 * promises that they settle are done. A condition on the first arrival alone resolves before the second job is handed over. Tried by
 * test/workflows/run/breathe.test.ts. It goes when the SDK calls back behind the last job of an activation.
 */

import { condition } from '@temporalio/workflow';
import type { Incoming } from '../run/index.ts';

/** Resolves when all jobs of this activation were handed over. */
export function afterAllJobs(): Promise<void> {
  let evaluations = 0;
  return condition(() => ++evaluations > 1);
}

/** Ends of work and signals of other runs, then messages, each in its order. */
export function factsFirst<One extends { readonly incoming: Incoming }>(line: readonly One[]): readonly One[] {
  return line.toSorted((one, other) => Number(isMessage(one)) - Number(isMessage(other)));
}

function isMessage({ incoming: { is } }: { readonly incoming: Incoming }): boolean {
  return is === undefined;
}
