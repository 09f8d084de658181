/** A search strategy is shown, decided on by the person at the terminal, and run through the death of its worker. */

import {
  askApproval,
  linkOf,
  propose,
  showPlan,
  type Proposed,
  type Scene,
  type Stage,
  type StoryEnd,
} from '../../stage/index.ts';
import { planGoal, tellModelStory, usageText } from '../../from-goal/index.ts';
import { GOAL } from '../planner-script.ts';
import { faultsOfPlan } from './plan-faults.ts';
import { showEnd } from './show-end.ts';
import { watchRun } from './watch-run.ts';

/** Ends as done when the plan was carried out and no finished node ran twice. */
export async function tellGeneStrategies(scene: Scene): Promise<StoryEnd> {
  const { stage, worker, options, output } = scene;
  if (scene.options.model !== undefined) return tellModelStory(scene, GOAL);
  const { screen, signal } = stage;
  const { yes, keep, kill, by } = options;
  const { run, plan } = options.fromGoal ? await proposeFromGoal(stage) : await propose(stage);
  const kind = yes ? 'approve' : await askApproval(stage, 'Run exactly this plan?');
  await run.decide({ kind, digest: plan.digest, by });
  if (kind === 'reject') {
    await run.end(signal);
    screen.say('', 'Rejected: nothing of the plan was run.');
    return { ended: 'rejected', stays: false };
  }
  screen.say('', `${screen.paint('bold', 'Run')}  plan ${plan.digest.slice(0, 8)}, approved by ${by}`);
  screen.say(`  ${screen.paint('dim', await linkOf(stage))}`, '');

  const watched = await watchRun({ stage, run, plan, worker, kill });
  const faults = options.fromGoal ? faultsOfPlan(stage, plan, watched.facts.completed) : [];
  const ended = await showEnd({
    stage,
    run,
    plan,
    output,
    watched,
    faults,
    isFromGoal: options.fromGoal,
    kill,
    stays: keep || !yes,
  });
  return { ended, worker: watched.worker, stays: !yes };
}

/** The scripted planner makes the plan of this demo, in two tries; then all is as it is without one. */
async function proposeFromGoal(stage: Stage): Promise<Proposed> {
  const { run, plan, status } = await planGoal(stage, { goal: GOAL });
  if (status.usage !== undefined) stage.screen.say('', `  ${usageText(status.usage)}`);
  showPlan(stage, plan);
  return { run, plan };
}
