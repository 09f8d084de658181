/** Makes a plan for a goal with a model. Runs nothing, and needs no server. */

import { createPlan } from '../planner/index.ts';
import { given } from '../protocol/index.ts';
import { wrongUsage } from './operation-error.ts';
import { namesField, operation, textField } from './operation.ts';
import { chosenPlanner, namedModel } from './models-of.ts';
import { needProject } from './plans.ts';

/**
 * Has a model write a plan, and prints the plan, its digest, its cost and its document (docs/planning.md). Starts no
 * run. The model's text goes to stderr. The key of `--model` is `PLANWRIGHT_MODEL_KEY`. A question of the planner is
 * asked at a terminal; a script gets the command that answers it, and exit 4. Exits 1 with a fallback plan, which no
 * model wrote.
 *
 * JSON: `{"ok","plan","document","digest","text","fallback","usage","feedback","error"?}`.
 */
export const makePlan = operation({
  command: {
    words: 'plan <goal>',
    example: "plan 'Compare two markets' --out plan.json",
    place: ['config', 'demo', 'timeout'],
    from: { answer: 'words', out: 'file' },
    flags: (z) => ({
      answer: namesField(z, 'answers to what the planner asks, in the order of its questions'),
      out: textField(z, 'write the plan document to this file, which must not be there'),
    }),
    more: 'It needs no server and runs nothing.',
  },
  does: "Ask the project's model for a plan, and pay for its calls.",
  input: (z) =>
    z.object({
      goal: z.string().describe('what the plan is for, in words'),
      ...namedModel(z),
    }),
  async run(plans, { goal, ...named }, { signal, onProgress, ask } = {}) {
    if (goal.trim() === '') {
      throw wrongUsage('the goal is blank; say in a sentence what the plan is for');
    }
    const { agents, ...planner } = chosenPlanner(await needProject(plans, 'plan GOAL'), named);
    const made = await createPlan(goal, agents, {
      ...planner,
      ...given({ signal, onFeedback: onProgress, onQuestion: ask }),
    });
    return { ...made, digest: made.plan.digest };
  },
});
