/** A goal becomes a plan of agents' tasks, which is run through the death of its worker; then a planner that only talks. */

import { nodeSentence } from 'planwright';
import type { OpenItem, RunHandle } from 'planwright/client';
import { wrap } from '../../words.ts';
import { askApproval, linkOf, showPlan, type Scene, type StoryEnd } from '../../stage/index.ts';
import { followRun, planGoal, planOf, tellModelStory, usageText } from '../../from-goal/index.ts';
import { GOAL } from '../agents-script.ts';
import { tellFallback } from './fallback.ts';
import { watchWorker } from './kill-worker.ts';
import { showAgentsEnd } from './show-agents-end.ts';

/** Ends as done when nothing was bought twice, and one report was filed that says what the corpus holds. */
export async function tellAgents(scene: Scene): Promise<StoryEnd> {
  const { stage, worker: first, options, output } = scene;
  if (scene.options.model !== undefined) return tellModelStory(scene, GOAL);
  const { screen } = stage;
  const { yes, keep, kill: wantsKill, by } = options;
  const { paint, width } = screen;
  const began = Date.now();
  const { run, plan, status } = await planGoal(stage, { goal: GOAL });
  if (status.usage !== undefined) screen.say('', `  ${usageText(status.usage)}`);
  showPlan(stage, plan);
  const kind = yes ? 'approve' : await askApproval(stage, 'Run exactly this plan?');
  await run.decide({ kind, digest: plan.digest, by });
  if (kind === 'reject') {
    await run.end(stage.signal);
    screen.say('', 'Rejected: nothing of the plan was run.');
    return { ended: 'rejected', stays: false };
  }
  screen.say('', `${paint('bold', 'Run')}  plan ${plan.digest.slice(0, 8)}, approved by ${by}`);
  screen.say(`  ${paint('dim', await linkOf(stage))}`, '');

  const watch = watchWorker(stage, first, wantsKill);
  const decide = async ({ digest }: OpenItem, waiting: RunHandle) => {
    const step = await planOf(waiting, stage);
    screen.say('', `${paint('bold', 'Approval')}  of a step in ${waiting.workflowId}, digest ${digest.slice(0, 8)}`);
    for (const node of step.tasks) screen.say(...wrap(nodeSentence(node, step), width - 2).map((line) => `  ${line}`));
    const said = yes ? 'approve' : await askApproval(stage, 'May it?');
    screen.say(`  ${said === 'approve' ? 'approved' : 'rejected'} by ${by}`, '');
    return said;
  };
  const end = await followRun(stage, run, { by, decide, look: watch.look });
  const seconds = (Date.now() - began) / 1000;
  const fallback = await tellFallback(stage);
  const { kill, worker } = watch;
  const ended = await showAgentsEnd({
    stage,
    run,
    end,
    output,
    kill,
    wantsKill,
    fallback,
    seconds,
    stays: keep || !yes,
  });
  return { ended, worker, stays: !yes };
}
