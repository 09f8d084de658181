/** The second half of the story: a planner that only talks leaves a plan of one step, which waits for a person. */

import { showPlan, StoryError, type Stage } from '../../stage/index.ts';
import { wrap } from '../../words.ts';
import { planGoal, usageText } from '../../from-goal/index.ts';
import { VAGUE_GOAL } from '../agents-script.ts';

export interface FallbackEnd {
  readonly workflowId: string;
  readonly digest: string;
  readonly agent: string;
}

/** The scripted person who looks at it. */
const REVIEWER = 'reviewer';

/** The run asks for approval of effects alone, and the fallback waits all the same. It is rejected, so that nothing runs. */
export async function tellFallback(stage: Stage): Promise<FallbackEnd> {
  const { screen, signal } = stage;
  const { paint, width } = screen;
  screen.say('', paint('bold', 'And a planner that only talks'));
  const workflowId = `${stage.workflowId}-fallback`;
  const options = { approval: 'effects' } as const;
  const { run, plan, status } = await planGoal(stage, { goal: VAGUE_GOAL, workflowId, options });
  const [step, ...more] = plan.tasks;
  if (status.fallback !== true || step?.agent === undefined || more.length > 0) {
    throw new StoryError(
      'failed',
      `the story needs a fallback of one step for an agent, and this is plan ${plan.digest}`,
    );
  }
  if (status.usage !== undefined) screen.say('', `  ${usageText(status.usage)}`);
  screen.say(`  ${paint('yellow', 'None of six replies was a plan: the fallback, marked as one')}`);
  showPlan(stage, plan);
  for (const { text } of (await run.view(['open'])).open)
    screen.say('', ...wrap(`The run waits for a person: ${text}`, width - 2).map((line) => `  ${line}`));
  await run.decide({ kind: 'reject', digest: plan.digest, by: REVIEWER, comment: 'not what was meant' });
  await run.end(signal);
  screen.say(`  rejected by ${REVIEWER} (scripted): nothing of it was run`);
  return { workflowId, digest: plan.digest, agent: step.agent };
}
