/** How runs begin: of a plan, of a goal, and of the plan of a closed run. */

import type { Started } from '../client/index.ts';
import type { PlanDocument } from '../plan/index.ts';
import { given, type RunSettings } from '../protocol/index.ts';
import { invalidPlan } from './operation-error.ts';
import { flagField, MAY_ACT, operation, textField, type Z } from './operation.ts';

const starting = (z: Z) => ({
  workflowId: textField(z, 'id of the new run; default: words of the goal and 8 digits'),
  newRun: flagField(z, 'true: start a run of its own where one of this id has closed'),
  once: textField(z, 'digits that end the id: two starts of a goal with the same are one'),
  memo: z.record(z.string(), z.unknown()).optional().describe('kept beside the run at the server'),
  options: z.custom<RunSettings>().optional().describe('options of the run, as docs/runs.md has them'),
  by: textField(z, 'who starts it, which is signed where the session has a key'),
  role: textField(z, 'in which role'),
});

export const start = operation({
  does: 'Starts a run of a plan document. A plan with errors starts nothing.',
  ...MAY_ACT,
  input: (z) => z.object({ document: z.unknown().describe('a plan document: JSON, or its text'), ...starting(z) }),
  async run(plans, { document, ...options }) {
    const session = await plans.session();
    return begun(await session.plans.start(document as PlanDocument, given(options)));
  },
});

export const startGoal = operation({
  does: 'Starts a run of a goal in words. The model of its worker plans it, or decides it step by step.',
  ...MAY_ACT,
  input: (z) => z.object({ goal: z.string(), ...starting(z) }),
  async run(plans, { goal, ...options }) {
    const session = await plans.session();
    return { workflowId: (await session.plans.startGoal(goal, given(options))).workflowId };
  },
});

export const rerun = operation({
  does: 'Starts the plan of a closed run anew, with its options, and takes over what that run has finished.',
  ...MAY_ACT,
  input: (z) => z.object({ of: z.string().describe('the closed run'), ...starting(z) }),
  async run(plans, { of, ...options }) {
    const session = await plans.session();
    return begun(await session.plans.rerun(of, given(options)));
  },
});

/** @throws OperationError PLAN_INVALID with every issue */
function begun(started: Started) {
  if (!started.ok) throw invalidPlan(started.issues);
  const { run, plan, warnings, executors } = started;
  return { workflowId: run.workflowId, digest: plan.digest, plan, warnings, ...given({ executors }) };
}
