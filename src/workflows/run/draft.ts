import {
  ERROR_CLASSES,
  type ErrorClass,
  type PlanningTrouble,
  type RunFailure,
  afterStage,
  NO_USAGE,
  type Planning,
  type PlanningStep,
} from '../../protocol/index.ts';
import type { PlanIssue } from '../../plan/index.ts';
import { openReplans, note, planCompiled } from './run.ts';
import { type Compiled, type TaskEnd, type Planned, sum } from './task-traits.ts';
import { openLoop } from '../loop/loop.ts';
import { endReplanning, shouldReplan, openReplacement, replan } from './replan.ts';
import { applyReused } from './apply-node.ts';
import type { Run } from './in-memory.ts';
import { asksNoModel, isBudgetExhausted, mayBuy, reasonFor, spentInVain } from './spending/spend.ts';
import { askAsPlanner } from './talk/questions.ts';
import { beginTask } from './tasks.ts';

export function draft(run: Run, at: string): void {
  replan(run, at);
  const { source, planning } = run.state;
  if (run.execution !== undefined && planning?.anew === undefined) return;
  if (run.state.failure !== undefined) return;
  if (sum(run.counts.all, ['draft', 'plan']) > 0) return;
  if (source !== undefined) beginTask(run, { kind: 'draft' });
  else if (planning !== undefined && planning.waitsFor === undefined && !run.state.paused)
    beginStage(run, planning, at);
}

/** Stages without a model run even if the budget is spent, since the fallback needs them. */
function beginStage(run: Run, planning: Planning, at: string): void {
  if (asksNoModel(planning.stage) || mayBuy(run, at)) beginTask(run, { kind: 'plan' });
  else if (!isBudgetExhausted(run)) return;
  else if (planning.anew === undefined) applyPlanning(run, spentInVain(run), at);
  else endReplanning(run, planning, reasonFor(run), at);
}

export function applyDraft(run: Run, ended: TaskEnd, at: string): void {
  if (run.state.approval.phase === 'closed') return;
  if (!ended.ok) {
    if (!run.state.cancelled) run.state.failure = ended.failure;
    return;
  }
  const compiled = ended.value as Compiled;
  if (!compiled.ok) run.state.failure = invalidPlan(compiled.issues);
  else if (run.state.options.onFailure === 'replan' && compiled.project.planner !== true) {
    run.state.failure = { type: 'InvalidInput', message: NO_PLANNER, details: [{ problems: [NO_PLANNER] }] };
  } else {
    planCompiled(run, compiled.planShape, compiled.project, at);
    applyReused(run, at);
  }
}

const NO_PLANNER =
  '$.options.onFailure: "replan" has the planner make the plan anew, and this worker has no model to plan with; set "model" in its configuration (docs/planning.md), or choose "fail", "partial" or "ask"';

/** Applies the outcome of a planning stage. If a model fails, the run uses the fallback and does not fail. */
export function applyPlanning(run: Run, ended: TaskEnd, at: string): void {
  const { state } = run;
  const { planning, approval, cancelled } = state;
  const isWanted = planning !== undefined && (planning.anew === undefined || shouldReplan(run));
  if (approval.phase === 'closed' || !isWanted || (cancelled && !ended.ok)) return;
  if (!ended.ok && !isTrouble(ended.failure)) {
    if (planning.anew === undefined) state.failure = ended.failure;
    else endReplanning(run, planning, ended.failure.message, at);
    return;
  }
  const step = stepAfter(run, planning, ended, at);
  if (state.failure !== undefined) return;
  state.planning = step.planning;
  switch (step.next) {
    case 'stage':
      note(run, at, 'planned', `${planning.stage} is done${troubleOf(step.planning)}; next is ${step.planning.stage}`);
      return;
    case 'ask':
      askAsPlanner(run, step.planning.waitsFor ?? '', step.question, at);
      return;
    case 'plan': {
      const { outcome, project } = (ended as { value: Planned }).value;
      const { isFallback } = step;
      if (outcome.is !== 'compiled') return;
      note(run, at, 'planned', isFallback ? `the fallback plan${troubleOf(planning)}` : PLANNED);
      if (planning.anew !== undefined) {
        openReplacement(run, step.planning, { ...outcome, isFallback }, at);
        return;
      }
      delete state.planning;
      if (state.options.onFailure === 'replan') state.replans = openReplans(step.planning);
      state.made = isFallback ? 'fallback' : outcome.answers === true ? 'answer' : 'plan';
      planCompiled(run, outcome.planShape, project, at);
      return;
    }
    case 'reactive':
      delete state.planning;
      state.loop = openLoop({ goal: planning.goal }, state.options.maxRounds);
      note(run, at, 'planned', 'the goal is carried out step by step');
      return;
    case 'fail': {
      if (planning.anew !== undefined) {
        endReplanning(run, step.planning, step.trouble.message, at);
        return;
      }
      const issues = ended.ok ? issuesOf((ended.value as Planned).outcome) : [];
      state.failure = { type: 'InvalidPlan', message: step.trouble.message, details: [{ issues }] };
    }
  }
}

export function stepAfter(run: Run, planning: Planning, ended: TaskEnd, at: string): PlanningStep {
  if (!ended.ok)
    return afterStage(planning, { usage: NO_USAGE, outcome: { is: 'failed', trouble: troubleBy(ended.failure) } });
  const { usage, notes, outcome } = ended.value as Planned;
  const settled = planning.stage === 'extract' ? settleMode(run, planning, at) : planning;
  if (settled === 'reactive') return { next: 'reactive', planning };
  return afterStage(settled, { notes, usage, outcome });
}

function settleMode(run: Run, planning: Planning, at: string): Planning | 'reactive' {
  const { state } = run;
  const { project, options } = state;
  const { unsaid, ...settled } = planning;
  const { mode = 'plan-first' } = project;
  if (unsaid === undefined || mode === 'plan-first') return settled;
  note(run, at, 'planned', `the mode is ${mode}, as the project has it`);
  const isOpen = unsaid.approval === true;
  state.options = { ...options, mode, ...(mode === 'reactive' && isOpen && { approval: 'effects' }) };
  if (mode === 'reactive') return mode;
  if (!isOpen && options.approval !== 'required')
    state.failure = { type: 'InvalidInput', message: GATE_OF_AUTO, details: [{ problems: [GATE_OF_AUTO] }] };
  return { ...settled, mode };
}

const GATE_OF_AUTO =
  '$.options.approval: the project runs goals in mode "auto", where a model chooses how the goal is run, so approval is "required"; leave it out, or give a mode of its own';

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

const PROBLEMS_NAMED = 5;

/** Text with the number of a plan's errors and the first error. Warnings do not count. */
export function problemsIn(issues: readonly PlanIssue[]): string {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const named = errors.slice(0, PROBLEMS_NAMED).map(({ path, message }) => `${path}: ${message}`);
  const more = errors.length > named.length ? ` And ${errors.length - named.length} more.` : '';
  return `${errors.length} problem${errors.length === 1 ? '' : 's'}. ${named.join(' ')}${more}`;
}
