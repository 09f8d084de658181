/** A run that is given a goal alone, followed until its plan waits for a person. */

import { setTimeout as pause } from 'node:timers/promises';
import type { CompiledPlan } from 'planwright';
import type { RunEnd, RunHandle, RunSettings, RunStatus } from 'planwright/client';
import { wrap } from '../words.ts';
import { endRun, StoryError, type Stage } from '../stage/index.ts';
import { createCallTeller } from './call-teller.ts';
import { readModelLedger } from './model-ledger.ts';

interface GoalOptions {
  readonly goal: string;
  /** Default: that of the stage. */
  readonly workflowId?: string;
  readonly options?: RunSettings;
}

export interface PlannedRun {
  readonly run: RunHandle;
  readonly plan: CompiledPlan;
  /** As it stands when its plan waits for a person. */
  readonly status: RunStatus;
}

const POLL_MS = 50;
/** A real model may write six plans before it is given up, on a slow machine for minutes each. */
const PLANNED_WITHIN_MS = 30 * 60 * 1000;

/** Starts the run, which ends with the demo at the latest, and tells how its planner gets on. */
export async function planGoal(stage: Stage, { goal, workflowId, options }: GoalOptions): Promise<PlannedRun> {
  const {
    client,
    plans,
    screen,
    cleanup,
    modelFile,
    signal,
    options: { model },
  } = stage;
  const { paint, width } = screen;
  const id = workflowId ?? stage.workflowId;
  screen.say('', paint('bold', 'Goal'), ...wrap(goal, width - 2).map((line) => `  ${line}`), '');
  const who = model === undefined ? SCRIPTED : `the model ${model.name} at ${model.baseURL}`;
  screen.say(paint('bold', 'Planner'), ...wrap(who, width - 2).map((line) => `  ${paint('dim', line)}`), '');
  const tell = createCallTeller(stage);
  // Earlier entries are told already.
  const before = readModelLedger(modelFile).length;
  const run = await plans.startGoal(goal, { workflowId: id, ...(options && { options }) });
  cleanup.add(() => endRun({ client, workflowId: id }));
  let ended: RunEnd | undefined;
  run.end(signal).then(
    (end) => (ended = end),
    // A person who goes away ends the demo.
    () => {},
  );
  for (const deadline = Date.now() + PLANNED_WITHIN_MS; ;) {
    const status = (await run.view(['status'])).status;
    tell(readModelLedger(modelFile).slice(before));
    if (status.phase === 'awaiting-approval') return { run, status, plan: await planOf(run, stage) };
    if (ended !== undefined) throw new StoryError('failed', `the run ended without a plan: ${reasonOf(ended)}`);
    if (status.waitingFor > 0) await assume(run, stage);
    if (Date.now() > deadline) throw new StoryError('failed', 'the planner has made no plan within 30 minutes');
    await pause(POLL_MS, undefined, { signal });
  }
}

function reasonOf(end: RunEnd): string {
  return end.how === 'completed' ? end.result.outcome : end.message;
}

const SCRIPTED = 'scripted: what it says was written beforehand; what it is told was not';

/** A real model may ask; there is nobody here who knows more than the goal says. */
async function assume(run: RunHandle, { screen }: Stage): Promise<void> {
  for (const { id, digest, kind, text } of (await run.view(['open'])).open) {
    if (kind !== 'question') continue;
    screen.say(`  asks: ${text}`, `  ${screen.paint('dim', `answered for this demo: ${ASSUME}`)}`);
    await run.answer({ question: id, digest, value: ASSUME, by: 'demo' });
  }
}

/** Said to a model that asks, by nobody in particular. */
export const ASSUME = 'Assume what is most likely, and say what you assumed.';

/** The plan that is open, from the store that the workers share. */
export async function planOf(run: RunHandle, { backstage }: Pick<Stage, 'backstage'>): Promise<CompiledPlan> {
  const { ref } = (await run.view(['plan'])).plan;
  const decoded = backstage.decodePlan(await run.store.get(ref));
  if (!decoded.ok) throw new StoryError('failed', `the plan of ${run.workflowId} cannot be read: ${decoded.message}`);
  return decoded.plan;
}
