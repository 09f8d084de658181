/** A failed run has a model explain the failure before it closes, if there is a model (Osprey: error node). Pure. */

import {
  ERROR_CLASSES,
  type ErrorClass,
  type FailureType,
  type ReportReply,
  type ReportRequest,
} from '../../protocol/index.ts';
import { inOrderOfEnd } from './run.ts';
import type { WorkEnd } from './work-end.ts';
import { MAX_STEPS_NAMED } from '../loop/loop.ts';
import type { Run } from './in-memory.ts';
import { canBuy } from './spending/spend.ts';
import { begin } from './work.ts';

/** Failures that are reported. A mistake of the person who started the run is not. */
const REPORTED: readonly FailureType[] = ['InvalidPlan', 'PlanFailed', 'IterationLimit', 'PolicyFailed'];
/** Whether the run waits for its report. Asks for it once. */
export function isReporting(run: Run): boolean {
  const { dialogue } = run;
  const { failure, project, cancelled, report, approval, parent } = dialogue;
  // The parent of an agent's run reports its failure.
  if (
    failure === undefined ||
    parent !== undefined ||
    cancelled ||
    project.planner !== true ||
    approval.phase === 'closed'
  )
    return false;
  if (!REPORTED.includes(failure.type) || report === 'done') return false;
  if (report === 'none' && !canBuy(run)) dialogue.report = 'done';
  else if (report === 'none') {
    dialogue.report = 'asked';
    begin(run, { kind: 'report' });
  }
  return dialogue.report !== 'done';
}

/** The run fails with or without the report. */
export function applyReport({ dialogue }: Run, ended: WorkEnd): void {
  dialogue.report = 'done';
  if (!ended.ok || dialogue.failure === undefined) return;
  const { report } = ended.value as ReportReply;
  const [first, ...others] = dialogue.failure.details;
  dialogue.failure = { ...dialogue.failure, details: [{ ...(first as object), report }, ...others] };
}

export function failureToReport({ dialogue, execution }: Run): ReportRequest {
  const { failure, planning, loop, chain } = dialogue;
  const goal =
    execution?.slice.goal ?? planning?.goal ?? (loop !== undefined && 'goal' in loop.task ? loop.task.goal : '');
  const summaries = execution?.slice.summaries ?? [];
  const inOrder = execution === undefined ? [] : inOrderOfEnd(execution);
  const { failures = {} } = execution ?? {};
  const first = inOrder.find((node) => failures[node] !== undefined) ?? -1;
  const type = failures[first]?.type ?? (failure?.type === 'InvalidPlan' ? 'REPLANNING' : 'CRITICAL');
  // A loop's plan is its last step: until that step ends the report names its nodes, and then the steps alone.
  const named = (statuses: readonly string[]) =>
    loop !== undefined && loop.step === undefined
      ? []
      : inOrder
          .filter((node) => statuses.includes(execution?.progress.status[node] ?? ''))
          .map((node) => summaries[node] ?? '');
  const all = { done: named(['succeeded', 'reused']), failed: named(['failed', 'uncertain']) };
  const told = (how: 'done' | 'failed') => [...(loop?.past?.[how].last ?? []), ...all[how]].slice(0, MAX_STEPS_NAMED);
  const countOf = (how: 'done' | 'failed') => (loop?.past?.[how].count ?? 0) + all[how].length;
  const [done, failed] = [told('done'), told('failed')];
  return {
    chain,
    call: 'report/1',
    severity: ERROR_CLASSES.includes(type as ErrorClass) ? (type as ErrorClass) : 'CRITICAL',
    task: goal,
    operation: all.failed[0] ?? planning?.stage ?? loop?.step?.summary ?? failed.at(-1) ?? 'the run',
    message: failure?.message ?? '',
    done,
    failed,
    counts: { done: countOf('done'), failed: countOf('failed') },
  };
}
