/** The results of a run that has ended, or why it has left none. */

import type { DoneResult, PartialResult } from '../../wire/contract/index.ts';
import { ClientError } from './client-error.ts';
import type { RunEnd } from './run-end.ts';

/**
 * @throws ClientError `invalid-plan` with the issues where its worker refused the plan, `not-done` for any end other than done
 * or partial
 */
export function leftBy(workflowId: string, end: RunEnd): DoneResult | PartialResult {
  if (end.how === 'completed') {
    const { result } = end;
    if (result.outcome === 'done' || result.outcome === 'partial') return result;
    const by = result.by === undefined ? '' : `, killed by ${result.by}: ${result.comment ?? ''}`;
    throw notDone(workflowId, `${result.outcome}${by}`);
  }
  if (end.how === 'failed' && end.type === 'InvalidPlan') {
    // A client without a catalogue leaves it to the worker to find out.
    const issues = end.details[0]?.issues ?? [];
    throw new ClientError('invalid-plan', `run ${workflowId}: ${end.message}`, { issues });
  }
  throw notDone(workflowId, `${end.how}: ${end.message}`);
}

export function notDone(workflowId: string, why: string): ClientError {
  return new ClientError('not-done', `run ${workflowId} ended without results: ${why}`);
}
