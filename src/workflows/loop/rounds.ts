import type { Loop } from './loop.ts';
import { numbered } from '../run/records.ts';
import { type DecideReply, type ResultHandle, type PlanShape, type StepDecision } from '../../protocol/index.ts';
import { visible } from '../../plan/text/index.ts';
import { rememberEffects } from '../run/started-effects.ts';
import { openExecution, closeRun, subjectOf, judgeEarlyMessages, note, rememberUntrusted } from '../run/run.ts';
import type { Execution, Run } from '../run/in-memory.ts';
import { isFinished } from '../run/nodes/progress.ts';
import { openRevision } from '../approval/approval.ts';
import { mayBuy } from '../run/spending/spend.ts';
import { beginTask, cancelTask } from '../run/tasks.ts';
import { sum, type TaskEnd } from '../run/task-traits.ts';
import { MAX_STEP_REJECTIONS, MAX_STEP_RESULTS, MAX_STEPS_NAMED, observationOf } from './loop.ts';

export type Decided = Omit<DecideReply, 'decision'> & {
  readonly decision: Exclude<StepDecision, { is: 'step' }> | OpenedStep;
};

interface OpenedStep {
  readonly is: 'step';
  readonly summary: string;
  readonly planShape: PlanShape;
  readonly by?: string;
  readonly ends?: true;
}

export function nextRound(run: Run, at: string): void {
  const { loop, paused, parentPaused } = run.state;
  if (loop === undefined || run.state.failure !== undefined) return;
  if (run.counts.all.decide > 0) return;
  if (loop.step !== undefined && !endStep(run, loop, at)) return;
  // If the round limit is reached too, the result still counts (as in Osprey).
  if (loop.result !== undefined) return;
  if (paused || parentPaused || run.state.failure !== undefined) return;
  // The limit is checked before each decision, so that even a step that always fails is not repeated forever.
  if (loop.round >= loop.maxRounds) {
    run.state.failure = {
      type: 'IterationLimit',
      message: `${loop.maxRounds} rounds were decided, and the task is not done; what was observed is kept`,
      details: [{ rounds: loop.round, ...(loop.notes !== undefined && { notes: loop.notes }) }],
    };
    return;
  }
  if (mayBuy(run, at) && beginTask(run, { kind: 'decide' })) loop.round += 1;
}

/** Records the end of the current step if its nodes have ended. @returns whether the step has ended */
function endStep(run: Run, loop: Loop, at: string): boolean {
  const { state, execution } = run;
  const { step } = loop;
  if (step === undefined || execution === undefined) return true;
  const isRejected = state.approval.rejected;
  if (isRejected)
    for (const [id, { kind }] of numbered(run.tasks)) if (kind === 'node') cancelTask(run, id, 'a rejection');
  if (sum(run.counts.all, ['node', 'unused']) > 0) return false;
  if (!isRejected && !isFinished(execution.progress)) return false;
  const { status, failures, causes } = execution.progress;
  const { root } = execution.planShape;
  const cause = causes[root] ?? root;
  const decision = state.approval.decisions.at(-1);
  const ended = {
    status: isRejected ? ('rejected' as const) : (status[root] ?? 'failed'),
    results: resultsOf(run),
    message: isRejected
      ? `${decision?.by ?? 'somebody'} refused it${decision?.comment === undefined ? '' : `: ${decision.comment}`}`
      : failures[cause]?.message,
    failures: isRejected ? [] : failuresOf(execution),
  };
  loop.observation = observationOf(step.round, ended);
  const { result, ...keyed } = ended.results;
  const all = Object.entries({ ...loop.results, ...(result && { [`step_${step.round}`]: result }), ...keyed });
  if (all.length > 0) loop.results = Object.fromEntries(all.slice(-MAX_STEP_RESULTS));
  recordStep(loop, step, ended.status);
  const { executors, executorOf } = execution.planShape;
  const costs = executorOf.filter((_, node) => execution.scheduledAt[node] !== undefined);
  const cost = costs.reduce((before, executor) => before + (executors[executor]?.cost ?? 0), loop.cost ?? 0);
  if (cost > 0) loop.cost = cost;
  const answer = execution.progress.handles[root];
  if (step.ends === true && answer !== undefined) loop.result = answer;
  loop.rejections = isRejected ? loop.rejections + 1 : 0;
  rememberUntrusted(run);
  delete loop.step;
  note(
    run,
    at,
    'planned',
    `step_${step.round} ended: ${ended.status}${ended.message === undefined ? '' : `, ${ended.message}`}`,
  );
  if (loop.rejections >= MAX_STEP_REJECTIONS) {
    closeRun(run, 'rejected', at, `${loop.rejections} steps in a row were refused`);
  }
  return true;
}

function recordStep(loop: Loop, { round, summary }: NonNullable<Loop['step']>, status: string): void {
  const isDone = status === 'succeeded' || status === 'reused';
  loop.past ??= { done: { count: 0, last: [] }, failed: { count: 0, last: [] } };
  const past = loop.past[isDone ? 'done' : 'failed'];
  past.count += 1;
  past.last = [...past.last, `step_${round}: ${summary}${status === 'rejected' ? ' (refused)' : ''}`].slice(
    -MAX_STEPS_NAMED,
  );
}

/** The results of a step by context key. A step without context keys has one, its root's, under `result`. */
function resultsOf({ execution }: Run): Record<string, ResultHandle> {
  const results: Record<string, ResultHandle> = {};
  if (execution === undefined) return results;
  const { handles, planShape } = execution;
  for (const [node, handle] of numbered(handles)) {
    const key = planShape.contextKeys?.[node] ?? (node === planShape.root ? 'result' : undefined);
    if (key !== undefined) results[key] = handle;
  }
  return results;
}

/** Why nodes of a step have no result, by context key; empty if the step has only one node. */
function failuresOf({ planShape: { contextKeys = [] }, progress }: Execution): (readonly [string, string])[] {
  if (contextKeys.length < 2) return [];
  return contextKeys.flatMap((key, node) => {
    const { status, handles, failures, causes } = progress;
    if (handles[node] !== undefined) return [];
    const why = failures[causes[node] ?? node]?.message;
    return [[key, why === undefined ? status[node]! : `${status[node]}: ${why}`] as const];
  });
}

export function applyStep(run: Run, ended: TaskEnd, at: string): void {
  const { state } = run;
  const { loop } = state;
  if (loop === undefined || state.approval.phase === 'closed') return;
  if (!ended.ok) {
    if (!state.cancelled) state.failure = ended.failure;
    return;
  }
  const { notes, decision } = ended.value as Decided;
  loop.notes = notes;
  delete loop.observation;
  delete loop.trouble;
  switch (decision.is) {
    case 'step':
      loop.wrong = 0;
      openStep(run, loop, decision, at);
      return;
    case 'finish':
      loop.result = decision.result;
      if (decision.outcome === 'aborted') loop.outcome = 'aborted';
      note(run, at, 'planned', `round ${loop.round} finished${byOf(decision)}: ${visible(decision.summary)}`);
      return;
    case 'none':
      loop.wrong += 1;
      loop.trouble = decision.trouble;
      note(
        run,
        at,
        'planned',
        `round ${loop.round} decided no step${byOf(decision)}: ${visible(decision.trouble.message)}`,
      );
      if (loop.wrong >= loop.attempts) state.failure = noResult(loop, decision.trouble.message);
      return;
    case 'failed':
      state.failure = noResult(loop, decision.trouble.message);
  }
}

function openStep(run: Run, loop: Loop, { planShape, summary, by, ends }: OpenedStep, at: string): void {
  const { state } = run;
  const { maxRevisions, concurrency } = state.options;
  rememberUntrusted(run);
  loop.step = { round: loop.round, summary, ...(by !== undefined && { by }), ...(ends && { ends }) };
  rememberEffects(run);
  run.execution = openExecution(planShape, concurrency);
  // An approval of an earlier step does not cover this one. Each step may be edited as often as a plan.
  const bounds = {
    maxRejections: Number.MAX_SAFE_INTEGER,
    maxRevisions: state.approval.revision + 1 + maxRevisions,
  };
  const fresh = { ...state.approval, consents: [], bounds };
  state.approval = openRevision(fresh, { digest: planShape.digest, subject: subjectOf(state, planShape), at });
  judgeEarlyMessages(state);
  note(
    run,
    at,
    'compiled',
    `step_${loop.round}: ${visible(summary)}${byOf({ by })}, digest ${planShape.digest.slice(0, 8)}`,
  );
}

function byOf({ by }: { readonly by?: string | undefined }): string {
  return by === undefined ? '' : ` (${visible(by)})`;
}

function noResult({ round, wrong }: Loop, message: string) {
  const times = wrong > 1 ? ` after ${wrong} replies in a row that were no step` : '';
  return { type: 'PlanFailed' as const, message: `no-result in round ${round}${times}: ${message}`, details: [] };
}
