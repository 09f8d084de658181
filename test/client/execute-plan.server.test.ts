/** Plans as one call of a program, on a real server. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { executePlan } from '../../src/client/index.ts';
import { fails, ids, tool } from '../support/capabilities.ts';
import { plansOf, sharedRig } from '../support/rig.ts';

const given = tool('given', 'read', 'value', z.object({}), async ({ inputs }) => {
  const found = inputs.find(({ name }) => name === 'original_tasks');
  const read = await found?.read();
  return read?.kind === 'value' ? read.value : 'nothing';
});

const rig = await sharedRig({ capabilities: [ids, given, fails] });
const plans = plansOf(rig);

const step = (context_key: string, capability: string, parameters: object = {}) => {
  return { context_key, capability, task_objective: `do ${context_key}`, parameters };
};
const approveAs = { by: 'operator' };

test('Calute: execute_plan gives the results by step, and every step the original tasks', async () => {
  const steps = [step('figures', 'ids', { ids: ['x', 'y'] }), step('told', 'given')];
  const values = await executePlan({ goal: 'g', steps }, { plans, approveAs, tasks: ['compare'] });
  expect(values['told']).toEqual(['compare']);
  expect(values['figures']).toMatchObject({ ids: ['x', 'y'] });
});

test('Calute: execute_plan leaves out a step without a result', async () => {
  const steps = [step('broken', fails.name, { how: 'critical' }), step('told', 'given')];
  const values = await executePlan({ goal: 'g', steps }, { plans, approveAs });
  expect(values).toMatchObject({ told: 'nothing' });
  expect(Object.keys(values)).not.toContain('broken');
});

test('rejects where no step has a result, with the first reason', async () => {
  const steps = [step('broken', fails.name, { how: 'critical' })];
  const executed = executePlan({ goal: 'g', steps }, { plans, approveAs });
  await expect(executed).rejects.toMatchObject({
    code: 'not-done',
    message: expect.stringMatching(/no step has a result.*broke for good/s),
  });
});

test('takes what createPlan gave; of a tree the value is that of its root', async () => {
  const document = { goal: 'g', plan: { task: 'find', capability: 'ids', arguments: { ids: ['z'] } } };
  expect(await executePlan({ document, fallback: false }, { plans, approveAs })).toMatchObject({
    node_1: { ids: ['z'] },
  });
});

test('rejects with the issues of a plan, and where the run ends without results', async () => {
  const wrong = executePlan({ goal: 'g', plan: { id: 'x' } }, { plans });
  await expect(wrong).rejects.toMatchObject({ code: 'invalid-plan', issues: [{ severity: 'error' }] });
  const expired = executePlan(
    { goal: 'g', plan: { task: 'find', capability: 'ids', arguments: { ids: ['z'] } } },
    { plans, options: { approvalDeadline: 100 } },
  );
  await expect(expired).rejects.toMatchObject({ code: 'not-done', message: expect.stringContaining('expired') });
});

test('an approval that comes after the deadline learns that the run has expired', async () => {
  const find = { task: 'find', capability: 'ids', arguments: { ids: ['z'] } };
  const started = await plans.start({ goal: 'g', plan: find }, { options: { approvalDeadline: 100 } });
  const run = plans.run(started.ok ? started.run.workflowId : '');
  await run.end();
  const late = run.decide({ kind: 'approve', digest: 'a'.repeat(8), by: 'operator' });
  const message = `run ${run.workflowId} has expired: nobody decided in time, and it takes no more messages`;
  await expect(late).rejects.toMatchObject({ code: 'run-closed', message });
});
