/** The story of a demo with a model that nobody has scripted: how wise it is, is not the demo's to say. */

import { nodeSentence } from 'planwright';
import type { OpenItem, RunHandle, Usage } from 'planwright/client';
import { askApproval, showPlan, type Scene, type Screen, type StoryEnd } from '../stage/index.ts';
import { wrap } from '../words.ts';
import { followRun } from './follow-run.ts';
import { planGoal, planOf } from './goal-run.ts';
import { usageText } from './usage-text.ts';

/**
 * Ends as done when planning has ended in a valid plan, or in the fallback that is marked as one. A valid plan is run where
 * its person wants that; a fallback never by an approval in advance.
 */
export async function tellModelStory({ stage, worker, options, output }: Scene, goal: string): Promise<StoryEnd> {
  const { screen, workflowId } = stage;
  const { yes, by, keep } = options;
  const { paint, width } = screen;
  const { run, plan, status } = await planGoal(stage, { goal });
  const { fallback: isFallback = false, usage } = status;
  screen.say('', ...verdict(screen, isFallback, usage));
  showPlan(stage, plan);
  if (yes && isFallback) screen.say('', 'A fallback is not approved in advance: it is rejected, and nothing is run.');
  const kind = !yes ? await askApproval(stage, 'Run exactly this plan?') : isFallback ? 'reject' : 'approve';
  await run.decide({ kind, digest: plan.digest, by });
  const decide = async (_: OpenItem, waiting: RunHandle) => {
    const step = await planOf(waiting, stage);
    screen.say('', `${paint('bold', 'Approval')}  of a step in ${waiting.workflowId}`);
    for (const node of step.tasks) screen.say(...wrap(nodeSentence(node, step), width - 2).map((line) => `  ${line}`));
    return yes ? 'approve' : askApproval(stage, 'May it?');
  };
  if (kind === 'approve') screen.say('', `${paint('bold', 'Run')}  approved by ${by}`);
  const end = await followRun(stage, run, { by, decide });
  const { usage: whole = usage } = (await run.view(['status'])).status;
  const outcome = end.how === 'completed' ? end.result.outcome : end.how;
  const result = end.how === 'completed' ? end.result.result : undefined;
  const answer = result === undefined ? undefined : await run.readResult(result.ref);
  output.print(
    { ok: true, workflowId, digest: plan.digest, fallback: isFallback, outcome, usage: whole },
    () => `outcome: ${outcome}${answer?.kind === 'text' ? `\n${answer.text}` : ''}`,
  );
  if (end.how !== 'completed') screen.say('', paint('yellow', `The run ended as ${end.how}: ${end.message}`));
  return { ended: 'done', worker, stays: !yes && keep };
}

function verdict({ paint }: Screen, isFallback: boolean, usage: Usage | undefined): readonly string[] {
  return [
    isFallback
      ? paint('yellow', '  No valid plan came of it. What follows is the fallback, which is marked as one.')
      : paint('green', '  ✓ Planning has ended in a valid plan.'),
    ...(usage === undefined ? [] : [`  ${usageText(usage)}`]),
  ];
}
