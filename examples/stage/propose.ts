/** The beginning of every story: a run is started, and what it will do is shown. */

import { readFile } from 'node:fs/promises';
import type { CompiledPlan, PlanIssue } from 'planwright';
import type { RunHandle, RunSettings } from 'planwright/client';
import { counted, wrap } from '../words.ts';
import type { Demo } from './demo.ts';
import { planLines } from './plan-view.ts';
import type { Stage } from './stage.ts';
import { StoryError } from './story-error.ts';

interface ProposeOptions {
  readonly options?: RunSettings;
  /** Draws the plan, in lines of at most the screen's width less 2. Default: `planLines`. */
  draw?(plan: CompiledPlan): readonly string[];
}

export interface Proposed {
  readonly run: RunHandle;
  readonly plan: CompiledPlan;
}

/** Starts the run, which ends with the demo at the latest. */
export async function propose(stage: Stage, { options, draw }: ProposeOptions = {}): Promise<Proposed> {
  const { demo, plans, workflowId, screen, cleanup } = stage;
  const { paint } = screen;
  const document = await readFile(demo.planFile);
  const started = await plans.start(document, { workflowId, ...(options !== undefined && { options }) });
  if (!started.ok) throw invalid(demo, started.issues);
  cleanup.add(() => endRun(stage));
  const { run, plan, warnings } = started;
  screen.say('', paint('bold', 'Question'), ...wrap(demo.question, screen.width - 2).map((line) => `  ${line}`));
  showPlan(stage, plan, { warnings, ...(draw && { draw }) });
  return { run, plan };
}

interface ShowOptions extends Pick<ProposeOptions, 'draw'> {
  readonly warnings?: readonly PlanIssue[];
}

/** Shows a plan before anybody decides it. */
export function showPlan(stage: Stage, plan: CompiledPlan, { draw, warnings = [] }: ShowOptions = {}): void {
  const { screen } = stage;
  const { paint } = screen;
  const merged = warnings.filter(({ code }) => code === 'merged-node').length;
  const nodes = plan.tasks.length + plan.combines.length;
  screen.say('', `${paint('bold', 'Plan')}  ${counted(nodes, 'node')}, digest`, `      ${plan.digest}`);
  for (const { code, message } of warnings)
    if (code !== 'merged-node') screen.say(...wrap(message, screen.width - 2).map((part) => `  ${part}`));
  if (merged > 0) {
    const words = `${merged} parts of the document repeat others; equal parts are one node and run once`;
    screen.say(...wrap(words, screen.width - 6).map((part) => paint('dim', `      ${part}`)));
  }
  screen.say('', ...(draw?.(plan) ?? planLines(plan, stage)).map((line) => `  ${line}`));
}

/** The word of the person at the terminal. */
export async function askApproval(
  { backstage, screen, signal }: Stage,
  question: string,
): Promise<'approve' | 'reject'> {
  const { paint } = screen;
  screen.say('', `${question}  ${paint('bold', 'y')} approve   ${paint('bold', 'n')} reject`);
  return (await backstage.askKey(['y', 'n'], signal)) === 'y' ? 'approve' : 'reject';
}

function invalid({ planFile }: Demo, issues: readonly PlanIssue[]): StoryError {
  const lines = issues
    .filter(({ severity }) => severity === 'error')
    .map(({ path, message }) => `  ${path}: ${message}`);
  return new StoryError('invalid-plan', `the plan in ${planFile} is invalid:\n${lines.join('\n')}`, issues);
}

const LEFT = 'the demo was left before its end';

/** A run that the demo leaves open would wait for ever for workers that are gone. */
export async function endRun({ client, workflowId }: Pick<Stage, 'client' | 'workflowId'>): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  const { status, raw } = await handle.describe();
  if (status.name === 'RUNNING') await handle.terminate(LEFT);
  // The runs of its agents outlive it.
  for (const { workflowId: agent } of raw.pendingChildren ?? []) {
    if (agent) await client.workflow.getHandle(agent).terminate(LEFT);
  }
}
