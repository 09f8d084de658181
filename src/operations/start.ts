import type { Started } from '../client/index.ts';
import type { PlanDocument } from '../plan/index.ts';
import { given, type RunSettings } from '../protocol/index.ts';
import { invalidPlanError, wrongUsage } from './operation-error.ts';
import { flagField, MAY_ACT, operation, textField } from './operation.ts';

type Planned = Extract<Started, { readonly ok: true }>;

export interface StartOutput extends Pick<Planned, 'warnings'>, Partial<Pick<Planned, 'plan' | 'executors'>> {
  readonly workflowId: string;
  readonly digest?: string;
}

export const start = operation({
  does:
    'Starts a run: of a plan document, which starts nothing where it has errors; of a goal in words, which the model of its worker plans or ' +
    'decides step by step; or of a closed run: its plan and options again, with the results that it had.',
  ...MAY_ACT,
  input: (z) =>
    z.object({
      document: z.unknown().optional().describe('a plan document: JSON, or its text'),
      goal: textField(z, 'what the run is for, in place of a document'),
      of: textField(z, 'the closed run whose plan is started, in place of a document'),
      workflowId: textField(z, 'id of the new run; default: words of the goal and 8 digits'),
      newRun: flagField(z, 'true: start a run of its own where one of this id has closed'),
      once: textField(z, 'digits that end the id: two starts of a goal with the same are one'),
      memo: z.record(z.string(), z.unknown()).optional().describe('kept beside the run at the server'),
      options: z.custom<RunSettings>().optional().describe('options of the run, as docs/runs.md has them'),
      by: textField(z, 'who starts it, which is signed where the session has a key'),
      role: textField(z, 'in which role'),
    }),
  async run(plans, { document, goal, of, ...typed }): Promise<StartOutput> {
    if ([document, goal, of].filter((one) => one !== undefined).length !== 1)
      throw wrongUsage('a run is started of a document, of a goal or of a closed run; give one of them');
    const { plans: client } = await plans.session();
    const options = given(typed);
    if (goal !== undefined) return { workflowId: (await client.startGoal(goal, options)).workflowId, warnings: [] };
    const started = await (of === undefined
      ? client.start(document as PlanDocument, options)
      : client.rerun(of, options));
    if (!started.ok) throw invalidPlanError(started.issues);
    const { run, plan, warnings, executors } = started;
    return { workflowId: run.workflowId, digest: plan.digest, plan, warnings, ...given({ executors }) };
  },
});
