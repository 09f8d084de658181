/** How a run comes to its first plan: a document is compiled; a goal goes through the planner's stages. */

import {
  ERROR_CLASSES,
  type ErrorClass,
  type PlanningOutcome,
  type PlanningReply,
  type PlanningTrouble,
  type RunFailure,
  type RunSlice,
  type SameNodes,
} from '../../wire/contract/index.ts';
import type { PlanIssue } from '../../language/plan/index.ts';
import { endFault, heldInVain } from './held.ts';
import type { Compiled, Landing } from './landing.ts';
import { openLoop } from './loop/index.ts';
import { addUsage, afterStage, NO_USAGE, type Planning, type PlanningStep } from './planning/index.ts';
import { takeReused } from './reused.ts';
import { note, planCompiled, type Run } from './run.ts';
import { asksNoModel, isOver, mayBuy, spentInVain } from './spending/index.ts';
import { askAsPlanner } from './talk/index.ts';
import { begin } from './work.ts';

/** A planner's reply as it arrives: its slice put together again. */
export type Planned = Omit<PlanningReply, 'outcome'> & {
  readonly outcome:
    | Exclude<PlanningOutcome, { is: 'compiled' }>
    | ({ readonly is: 'compiled'; readonly answers?: true; readonly slice: RunSlice } & SameNodes);
};

export function draft(run: Run, at: string): void {
  const { source, planning } = run.dialogue;
  if (run.execution !== undefined || run.dialogue.failure !== undefined) return;
  for (const { kind } of run.work.values()) if (kind === 'draft' || kind === 'plan') return;
  if (source !== undefined) begin(run, { kind: 'draft' });
  else if (planning !== undefined && planning.waitsFor === undefined && !run.dialogue.paused)
    beginStage(run, planning, at);
}

/** Stages that ask no model go on at the end of a budget: there is the fallback. */
function beginStage(run: Run, { stage }: Planning, at: string): void {
  if (asksNoModel(stage) || mayBuy(run, at)) begin(run, { kind: 'plan' });
  else if (isOver(run)) landPlanning(run, spentInVain(run), at);
}

export function landDraft(run: Run, landing: Landing, at: string): void {
  // A plan would open the run again.
  if (run.dialogue.approval.phase === 'closed') return;
  if (!landing.ok) {
    if (!run.dialogue.cancelled) run.dialogue.failure = landing.failure;
    return;
  }
  const compiled = landing.value as Compiled;
  if (compiled.ok) {
    planCompiled(run, compiled.slice, compiled.project, at);
    takeReused(run, at);
  } else run.dialogue.failure = invalidPlan(compiled.issues);
}

/** A stage of the planner has ended. A fault of a model or its provider fails no run: there is the fallback. */
export function landPlanning(run: Run, landing: Landing, at: string): void {
  const { dialogue } = run;
  const { planning, approval, cancelled } = dialogue;
  if (approval.phase === 'closed' || planning === undefined || (cancelled && !landing.ok)) return;
  if (!landing.ok && !isTrouble(landing.failure)) {
    dialogue.failure = landing.failure;
    return;
  }
  const step = stepAfter(run, planning, landing);
  dialogue.planning = step.planning;
  switch (step.next) {
    case 'stage':
      note(run, at, 'planned', `${planning.stage} is done${troubleOf(step.planning)}; next is ${step.planning.stage}`);
      return;
    case 'ask':
      askAsPlanner(run, step.planning.waitsFor ?? '', step.question, at);
      return;
    case 'plan': {
      const planned = (landing as { value: Planned }).value;
      delete dialogue.planning;
      if (step.isFallback) dialogue.isFallback = true;
      if (planned.outcome.is === 'compiled' && planned.outcome.answers === true) dialogue.isAnswer = true;
      note(run, at, 'planned', step.isFallback ? `the fallback plan${troubleOf(planning)}` : PLANNED);
      if (planned.outcome.is === 'compiled') planCompiled(run, planned.outcome.slice, planned.project, at);
      return;
    }
    case 'reactive':
      delete dialogue.planning;
      dialogue.loop = openLoop({ goal: planning.goal }, dialogue.options.maxRounds);
      note(run, at, 'planned', 'the goal is carried out step by step');
      return;
    case 'fail': {
      const issues = landing.ok ? issuesOf((landing.value as Planned).outcome) : [];
      dialogue.failure = { type: 'InvalidPlan', message: step.trouble.message, details: [{ issues }] };
    }
  }
}

/** The planning that waits for its model waits no longer. */
export function fallBack(run: Run, at: string): void {
  const [id] = [...run.work].find(([, { kind, waits }]) => kind === 'plan' && waits === true) ?? [];
  if (id === undefined) return;
  const held = run.dialogue.fault?.reason ?? '';
  endFault(run, at, 'the planning goes on to its fallback');
  run.work.delete(id);
  landPlanning(run, heldInVain({ held, by: 'model' }), at);
}

/** The step after a stage, with its usage counted and the project's policy taken in. */
export function stepAfter(run: Run, planning: Planning, landing: Landing): PlanningStep {
  const { dialogue } = run;
  if (!landing.ok)
    return afterStage(planning, { usage: NO_USAGE, outcome: { is: 'failed', trouble: troubleBy(landing.failure) } });
  const { usage, notes, outcome } = landing.value as Planned;
  dialogue.usage = addUsage(dialogue.usage, usage);
  return afterStage(planning, { notes, usage, outcome });
}

const PLANNED = 'the planner has made a plan';

function troubleOf({ trouble }: Planning): string {
  return trouble === undefined ? '' : ` (${trouble.message})`;
}

function isTrouble({ type }: RunFailure): boolean {
  return (
    ERROR_CLASSES.includes(type as ErrorClass) ||
    type === 'BudgetSpent' ||
    type === 'WorkerLost' ||
    type.startsWith('Timeout')
  );
}

function troubleBy({ type, message }: RunFailure): PlanningTrouble {
  return { severity: ERROR_CLASSES.includes(type as ErrorClass) ? (type as ErrorClass) : 'CRITICAL', message };
}

function issuesOf(outcome: Planned['outcome']): readonly PlanIssue[] {
  return outcome.is === 'invalid' ? outcome.issues : [];
}

export function invalidPlan(issues: readonly PlanIssue[]): RunFailure {
  return { type: 'InvalidPlan', message: `The plan has ${problemsIn(issues)}`, details: [{ issues }] };
}

/** Problems told in a sentence; all of them are in the details. */
const PROBLEMS_TOLD = 5;

/** How many problems a plan has, and the first of them; a warning is none. */
export function problemsIn(issues: readonly PlanIssue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const told = errors.slice(0, PROBLEMS_TOLD).map(({ path, message }) => `${path}: ${message}`);
  const more = errors.length > told.length ? ` And ${errors.length - told.length} more.` : '';
  return `${errors.length} problem${errors.length === 1 ? '' : 's'}. ${told.join(' ')}${more}`;
}
