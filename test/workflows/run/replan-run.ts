/** Runs whose plan is made anew, and what their planner comes to. */

import { numbered } from '../../../src/workflows/run/records.ts';
import {
  type ErrorClass,
  type PlanningOutcome,
  type ProjectPolicy,
  type RunOptions,
  type PlanShape,
  NO_USAGE,
} from '../../../src/protocol/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { approvedRun, AT, bring, handle, landed, openedRun, shapeOf, turn } from './make-run.ts';

export const PLANNER: ProjectPolicy = { inbox: false, planner: true };
export const GONE = { status: 'failed', type: 'REPLANNING', message: 'there is no list gone' } as const;
/** What a reply of the planner has paid. */
export const PAID = { ...NO_USAGE, calls: 1, inputTokens: 10 };

/** Approved by one person, with its first nodes under way. */
export function replanRun(planShape: PlanShape, options: Partial<RunOptions> = {}, project = PLANNER): Run {
  return approvedRun(planShape, { onFailure: 'replan', ...options }, project);
}

/** Waits for its approval. */
export function unapprovedRun(planShape: PlanShape, options: Partial<RunOptions> = {}): Run {
  return openedRun(planShape, { onFailure: 'replan', ...options }, PLANNER);
}

/** A node fails so that another plan may cure it, and the run takes its next turn. */
export function breaks(run: Run, node: number, type = 'REPLANNING', at = AT) {
  bring(run, node, { ...GONE, type }, at);
  return turn(run, at);
}

/** The work of the planner that is under way; undefined where there is none. */
export function planningWork(run: Run): number | undefined {
  for (const [id, { kind, stopping }] of numbered(run.tasks)) if (kind === 'plan' && stopping === undefined) return id;
  return undefined;
}

/** The planner's stage under way ends with this, and the run takes its next turn. */
export function planned(run: Run, outcome: PlanningOutcome | OpenPlan, at = AT, id = planningWork(run)) {
  if (id === undefined) throw new Error('nothing is planned');
  landed(run, id, { stage: 'write', notes: `notes ${id}`, usage: PAID, project: PLANNER, outcome }, at);
  return turn(run, at);
}

interface OpenPlan {
  readonly is: 'compiled';
  readonly planShape: PlanShape;
  readonly sameAs: readonly number[];
}

export function anew(planShape: PlanShape, sameAs: readonly number[]): OpenPlan {
  return { is: 'compiled', planShape: { ...planShape, digest: 'e'.repeat(64) }, sameAs };
}

export function invalid(severity: ErrorClass = 'REPLANNING'): PlanningOutcome {
  return { is: 'invalid', trouble: { severity, message: 'no plan' }, issues: [] };
}

/** What the run says of itself, by the kind of entry. */
export function told(run: Run, ...kinds: readonly string[]): string[] {
  return run.state.trace.entries.flatMap(({ what, text }) => (kinds.includes(what) ? [text] : []));
}

/** Two reads that are joined. */
export const JOINED = shapeOf([[], [], [0, 1]]);

/** The first read as it was, the second another one. */
export const REJOINED = anew(JOINED, [0, -1, -1]);

/** The second read of two has failed, the first is done, and the planner is at work. */
export function brokenRun(options: Partial<RunOptions> = {}): Run {
  const run = replanRun(JOINED, options);
  bring(run, 0, handle('r0'));
  breaks(run, 1);
  return run;
}
