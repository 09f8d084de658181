/** A case for evaluations, out of the plan that a person approved or edited in a run. */

import type { RunHandle } from '../client/index.ts';
import { appendCase, caseOfPlan } from './evaluation/index.ts';
import type { JsonValue } from '../plan/index.ts';
import type { SaidDecision } from '../protocol/index.ts';
import { refOfDigest } from '../store/index.ts';
import { OperationError } from './operation-error.ts';
import { IN_PROJECT, operation, textField } from './operation.ts';
import { readStored } from './result.ts';
import { readPlan } from './shown.ts';

const TAKEN: readonly SaidDecision['kind'][] = ['approve', 'approve-part', 'edit'];

/**
 * It changes no other case, and exits 2 where the name is taken, the file is no list of cases, or the run has no such
 * plan.
 *
 * JSON: `{"ok","file","cases","case","digest","by","verified"}`; `cases` is how many the file has now.
 */
export const caseOf = operation({
  command: {
    words: 'eval add <workflow-id>',
    example: 'eval add plan-1 --to cases.json',
    place: IN_PROJECT,
    from: { to: 'file' },
  },
  does: 'Adds the plan that a person approved or edited in a run to a file of cases for evaluations.',
  readOnly: false,
  input: (z) =>
    z.object({
      workflowId: z.string().describe('the run'),
      to: z.string().describe('the file of cases, in JSON or YAML; it is made if it is not there'),
      name: textField(z, 'name of the case (default: the id of the run)'),
    }),
  async run(plans, { workflowId, to: file, name = workflowId }) {
    const { run, store } = await plans.run(workflowId);
    const { entries } = (await run.view(['trace'])).trace;
    const said = entries.flatMap((entry) => (entry.what === 'decision' && entry.said ? [entry.said] : []));
    const taken = said.findLast(({ kind }) => TAKEN.includes(kind));
    if (taken === undefined || (await run.view(['status'])).status.loop !== undefined) {
      const why = taken === undefined ? 'nobody has approved or edited a plan of it' : 'it decides step by step';
      throw new OperationError('REFUSED', `run ${workflowId} gives no case: ${why}`);
    }
    const digest = taken.kind === 'edit' ? await digestAfter(run, taken) : taken.digest;
    const plan = await readPlan(store, { ref: refOfDigest(digest), revision: taken.revision });
    const answers: JsonValue[] = [];
    for (const { what, said: one } of entries) {
      if (what !== 'answer' || one === undefined || !one.question.startsWith('planner.')) continue;
      const answer = await readStored({ run, store }, one);
      answers.push(answer.kind === 'value' ? answer.value : null);
    }
    const made = caseOfPlan(name, plan, answers);
    if (typeof made === 'string') {
      throw new OperationError('REFUSED', `the plan ${digest.slice(0, 8)} of run ${workflowId} gives no case: ${made}`);
    }
    const cases = await appendCase(file, made);
    return { file, cases, case: made, digest, by: taken.by, verified: taken.verified };
  },
});

/** An edit names the plan before it: the plan that it made is the open one, or was decided on later. */
async function digestAfter(run: RunHandle, { revision }: SaidDecision): Promise<string> {
  const { plan: open } = await run.view(['plan']);
  if (open.revision === revision + 1) return open.digest;
  throw new OperationError('REFUSED', `the plan that an edit made in run ${run.workflowId} was replaced since`);
}
