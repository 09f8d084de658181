/** Starts a run, shows it, asks for decisions, and waits for its end. */

import { runPageOf } from '../../operations/web-ui.ts';
import type { ExitName, OutputOf } from '../../operations/index.ts';
import { given, OPTION_KEYS, type RunSettings } from '../../protocol/index.ts';
import { asTyped } from '../typed-command.ts';
import type { Shell } from '../define-command.ts';
import type { RunTyped } from '../flags.ts';
import type { TypedDuration } from '../options.ts';
import { goalText, planText } from '../plan-text.ts';
import { speakerOf, starterOf } from '../reading/index.ts';
import { noteIssues } from '../view/index.ts';
import { usageText } from '../../operations/words/index.ts';
import { usageReport, type UsageReport } from '../usage-report.ts';
import { startWait, timeLimit } from '../wait.ts';
import { approveAtOnce, COMPILED_MS, compiled } from './approve-at-once.ts';
import { createPlanBoard } from './plan-board.ts';
import { progressView } from './progress-view.ts';
import { createPrompts, LEFT } from './prompts.ts';
import { reportEnd } from './report-end.ts';
import { withDev } from './with-dev.ts';

export type StartedRun = Pick<OutputOf<'start'>, 'workflowId' | 'plan' | 'executors'>;

export async function followNewRun(typed: RunTyped, shell: Shell): Promise<ExitName> {
  return typed.dev === true ? withDev(typed, shell, (there) => startRun(typed, there)) : startRun(typed, shell);
}

async function startRun(typed: RunTyped, shell: Shell): Promise<ExitName> {
  const { workflowId, newRun, detach, approve, yes, document, goal, run: of } = typed;
  const { output, plans, perform } = shell;
  const limit = timeLimit(typed);
  // The workflow checks them again.
  const options: RunSettings = given(Object.fromEntries(OPTION_KEYS.map((key) => [key, (typed as RunSettings)[key]])));
  const isApproved = (approve ?? yes) === true;
  if (isApproved) speakerOf(typed);
  const starter = starterOf(typed);
  const started = await perform('start', { document, goal, of, workflowId, newRun, options, ...starter });
  const { plan, executors, warnings } = started;
  if (plan === undefined) {
    await noteCard(started, (goal ?? '').trim(), shell);
    const { mode } = (typed.mode === undefined ? await plans.project() : undefined) ?? {};
    if (mode !== undefined) output.note(`mode ${mode}, as the project has it`);
    return detach === true ? detached(started, shell) : attached(started, typed, limit, shell);
  }
  noteIssues(warnings, output);
  await noteCard(started, plan.goal, shell);
  const reuse = of ?? options.reuse;
  const { run } = await plans.run(started.workflowId);
  const isCompiled =
    reuse !== undefined && (await compiled(run, Date.now() + Math.min(limit.ms ?? Infinity, COMPILED_MS)));
  // Reused work is shown before anybody is asked about the rest.
  const note = (text: string) => output.note(`\n${text}`);
  const isTold = isCompiled && (await createPlanBoard(note, shell).show(plan.digest, started.workflowId));
  // Without a config the effects are unknown here, so a person sees the plan as its worker compiled it.
  const isShown = executors !== undefined || !output.canAsk || isApproved || detach === true;
  if (isShown && !isTold) output.note(`\n${planText(plan, { ...(executors && { executors }) }, output)}`);
  const since = Date.now();
  const isOver = isApproved && (await approveAtOnce(plan.digest, run, typed, shell, limit.ms));
  const left = limit.ms === undefined ? limit : { ...limit, ms: Math.max(1, limit.ms - (Date.now() - since)) };
  if (isOver) return reportEnd(started.workflowId, shell);
  return detach === true ? detached(started, shell) : attached(started, typed, left, shell, isShown || isTold);
}

async function noteCard({ workflowId }: StartedRun, goal: string, { plans, output }: Shell): Promise<void> {
  const link = await runPageOf(await plans.session(), workflowId);
  for (const line of goalText(goal, output.columns).split('\n')) output.note(output.paint('bold', line));
  output.note(`run ${workflowId}${link === undefined ? '' : `\n${link}`}`);
}

function detached({ workflowId, plan }: StartedRun, { output }: Shell): ExitName {
  output.print({ ok: true, workflowId, ...(plan && { digest: plan.digest }) }, () => workflowId);
  return 'done';
}

async function attached(
  { workflowId, plan }: StartedRun,
  typed: RunTyped,
  limit: TypedDuration,
  shell: Shell,
  isShown = true,
): Promise<ExitName> {
  const { output, flags, plans } = shell;
  const back = `come back with \`${asTyped(`result ${workflowId}${flags}`)}\``;
  const session = await plans.run(workflowId);
  const wait = startWait(limit, `the run ${workflowId} goes on; ${back}`);
  const view = progressView(plan, output, (change) => prompts.onChange(change));
  const board = createPlanBoard(view.note, shell, isShown ? plan : undefined);
  const prompts = createPrompts(workflowId, board, typed, view, shell);
  let usage: UsageReport | undefined;
  try {
    const signal = AbortSignal.any([wait.signal, prompts.over]);
    for await (const now of session.run.follow({ signal, contents: true })) {
      if (plan === undefined) prompts.showPlan(now.status);
      view.see(now);
      usage = usageReport(workflowId, now);
    }
  } catch (error) {
    if (error !== LEFT) throw error;
    output.note(`the run waits for a decision; ${back}`);
    return 'waiting';
  } finally {
    prompts.close();
    view.close();
    wait.end();
  }
  if (usage !== undefined) output.note(usageText(usage.total));
  return reportEnd(workflowId, shell, usage);
}
