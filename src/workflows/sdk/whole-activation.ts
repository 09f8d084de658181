/**
 * A turn takes all arrivals of an activation at once, facts before messages. In a replay the SDK's core may split the
 * events of a history into other activations (docs/decisions/queries.md). So a turn must not depend on which job came
 * first, nor on the position of an update among the ends of work.
 *
 * Undocumented: the SDK (1.23 and 1.24) evaluates a new condition at once, and again after all jobs of the activation
 * and the promises that they settle. A condition on the first arrival alone would resolve before the second job. Test:
 * test/workflows/run/breathe.test.ts. Remove it when the SDK calls back after the last job of an activation.
 */

import { condition } from '@temporalio/workflow';
import type { Incoming } from '../run/index.ts';

/** Resolves after all jobs of this activation. */
export function afterAllJobs(): Promise<void> {
  let evaluations = 0;
  return condition(() => ++evaluations > 1);
}

/** Ends of work and signals of other runs, then messages, each in order. */
export function factsFirst<One extends { readonly incoming: Incoming }>(line: readonly One[]): readonly One[] {
  return line.toSorted((one, other) => Number(isMessage(one)) - Number(isMessage(other)));
}

function isMessage({ incoming: { is } }: { readonly incoming: Incoming }): boolean {
  return is === undefined;
}
