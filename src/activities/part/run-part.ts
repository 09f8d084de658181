import { Context } from '@temporalio/activity';
import pLimit from 'p-limit';
import { nodesIn, packEnds, type Deferral, type PartEnds, type PartRequest } from '../../protocol/index.ts';
import type { Surroundings } from '../attempt-node.ts';
import { deferralOf, isLastAttempt } from '../attempt-wrappers.ts';
import { toFailure } from '../failures.ts';
import { signalPart } from '../gate.ts';
import { PART_TIMES } from './part.ts';
import { workOnPart, type PartUnderWay } from './work-on-part.ts';
import { createRecentResults } from './write-behind.ts';

/** Maximum number of nodes in parts that one worker process executes at the same time. */
const AT_ONCE = 100;

/**
 * Makes the activity of a part. If the previous attempt was only stalled in this process, the new attempt joins it.
 * Otherwise the worker was lost, and the new attempt runs no node.
 */
export function createPartRunner(surroundings: Surroundings): (request: PartRequest) => Promise<PartEnds | Deferral> {
  const { atOnce = AT_ONCE, tellRun = signalPart, partTimes = PART_TIMES } = surroundings.dependencies;
  const ways = { slots: pLimit(atOnce), lately: createRecentResults(), times: partTimes };
  const underWay = new Map<string, PartUnderWay>();
  return async (request) => {
    const context = Context.current();
    const { workflowExecution, activityId, attempt } = context.info;
    const run = workflowExecution ?? { workflowId: '', runId: '' };
    const key = [run.workflowId, run.runId, activityId].join(' ');
    const there = underWay.get(key);
    // The part may be what crashes its workers, so the last attempt returns every node to the run, which gives each an activity of its own.
    if (there === undefined && attempt > 1 && isLastAttempt()) return packEnds([], { alone: nodesIn(request.nodes) });
    try {
      if (there !== undefined) return await there.join(context);
      const tell = (ends: PartEnds) => tellRun(run, { key: request.key, ends });
      const part = workOnPart(request, surroundings, { ...ways, tell, isAfterLoss: attempt > 1 });
      underWay.set(key, part);
      return await part.join(context).finally(() => underWay.delete(key));
    } catch (error) {
      const deferral = deferralOf(error, { begun: false });
      if (deferral !== undefined) return deferral;
      throw toFailure(error);
    }
  };
}
