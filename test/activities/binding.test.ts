/** Whatever `execute` can read is in what a node is approved, reused and done as: each field changed alone breaks it. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { readRevision, type Revision } from '../../src/activities/revision.ts';
import { sameNodes } from '../../src/activities/same-nodes.ts';
import { defineCapability, type TaskContext } from '../../src/capabilities/index.ts';
import { openActivities } from './rig.ts';

const told = { output: 'value', input: z.looseObject({}), effect: 'read', execute: () => 0 } as const;
const asks = defineCapability({ ...told, name: 'asks', description: 'Is given the goal.' });
const blind = defineCapability({ ...told, name: 'blind', description: 'Is not given it.', usesGoal: false });
const newer = { ...blind, version: '2' };
const withGoal = { ...blind, usesGoal: true };

const plain = {
  goal: 'Find genes',
  capability: 'asks',
  capabilities: [asks, blind],
  below: { type: 'task', task: 'Look', capability: 'blind', arguments: { a: 1 } },
  fields: { task: 'Compare', hint: 'carefully', context: { of: 'men' }, arguments: { a: { b: 1 } } },
};
type Setting = typeof plain;

/** The task at the root of `setting`, which takes the result of `below`. */
function revisionOf({ goal, capability, capabilities, below, fields }: Setting): Promise<Revision> {
  return compiledTo(capabilities, { goal, plan: { type: 'task', ...fields, capability, input: below } });
}

async function compiledTo(capabilities: Setting['capabilities'], document: object): Promise<Revision> {
  const rig = await openActivities(capabilities);
  const { revisionRef } = await rig.compiled(document);
  return readRevision(rig.results, revisionRef);
}

const first = { context_key: 'genes', capability: 'asks', task_objective: 'Find genes' };
const plainStep = {
  ...{ context_key: 'kept', capability: 'asks', task_objective: 'Keep the near ones', action: 'keep' },
  ...{ description: 'Those within 1 kb', expected_output: 'GENES', success_criteria: 'At least one is left' },
  inputs: [{ GENES: 'genes' }],
};

/** The step as the second one of a list, after `first`. */
function revisionOfStep(step: object, before: object = first): Promise<Revision> {
  return compiledTo([asks, blind], { goal: 'Find genes', steps: [before, step] });
}

/** Fields that nobody who writes a plan sets: they follow from what is bound. */
type Derived = 'idempotencyKey' | 'model' | 'signal' | 'heartbeat' | 'lastHeartbeat' | 'claimToken' | 'isOver';
type Read = Exclude<keyof TaskContext<unknown>, Derived>;

type OfSteps = 'contextKey' | 'action' | 'description' | 'expectedOutput' | 'successCriteria' | 'inputTypes';

const change: Record<Exclude<Read, OfSteps>, Partial<Setting>> = {
  goal: { goal: 'Find other genes' },
  task: { fields: { ...plain.fields, task: 'Contrast' } },
  hint: { fields: { ...plain.fields, hint: 'quickly' } },
  context: { fields: { ...plain.fields, context: { of: 'mice' } } },
  arguments: { fields: { ...plain.fields, arguments: { a: { b: 2 } } } },
  inputs: { below: { ...plain.below, arguments: { a: 2 } } },
};

test('one plan compiled twice is bound to the same', async () => {
  expect(sameNodes(await revisionOf(plain), await revisionOf(plain))).toEqual([0, 1]);
});

test.each(Object.entries(change))('what `execute` reads as `%s` is in what is approved', async (_, changed) => {
  expect(sameNodes(await revisionOf({ ...plain, ...changed }), await revisionOf(plain))[1]).toBe(-1);
});

const changedStep: Record<OfSteps, object> = {
  contextKey: { context_key: 'near' },
  action: { action: 'drop' },
  description: { description: 'Those within 2 kb' },
  expectedOutput: { expected_output: 'LOCI' },
  successCriteria: { success_criteria: 'None is left' },
  inputTypes: { inputs: [{ LOCI: 'genes' }] },
};

test.each(Object.entries(changedStep))(
  'what `execute` reads as `%s` of a step is in what is approved',
  async (_, to) => {
    const base = await revisionOfStep(plainStep);
    expect(sameNodes(await revisionOfStep(plainStep), base).slice(0, 2)).toEqual([0, 1]);
    expect(sameNodes(await revisionOfStep({ ...plainStep, ...to }), base).slice(0, 2)).toEqual([0, -1]);
  },
);

test('the name of an input is in what is approved', async () => {
  const renamed = await revisionOfStep(
    { ...plainStep, inputs: [{ GENES: 'loci' }] },
    { ...first, context_key: 'loci' },
  );
  expect(sameNodes(renamed, await revisionOfStep(plainStep)).slice(0, 2)).toEqual([-1, -1]);
});

test('a capability that is not given the goal stays the same under another goal, unless something below it is', async () => {
  const blindly = { ...plain, capability: 'blind' };
  const other = { goal: 'Find other genes' };
  expect(sameNodes(await revisionOf({ ...blindly, ...other }), await revisionOf(blindly))).toEqual([0, 1]);
  const knowing = { ...blindly, below: { ...plain.below, capability: 'asks' } };
  expect(sameNodes(await revisionOf({ ...knowing, ...other }), await revisionOf(knowing))).toEqual([-1, -1]);
});

test.each([
  ['another version', newer],
  ['given the goal from now on', withGoal],
])('%s of a capability is not the one that was approved', async (_, capability) => {
  const blindly = { ...plain, capability: 'blind' };
  const changed = { ...blindly, capabilities: [asks, capability] };
  expect(sameNodes(await revisionOf(changed), await revisionOf(blindly))).toEqual([-1, -1]);
});

test('the goal is withheld from a capability that does not use it', async () => {
  const goals: string[] = [];
  const write = ({ goal }: { readonly goal: string }) => goals.push(goal);
  const rig = await openActivities([
    { ...asks, execute: write },
    { ...blind, execute: write },
  ]);
  const document = {
    goal: 'Find genes',
    plan: { type: 'task', task: 'Compare', capability: 'asks', input: plain.below },
  };
  const { revisionRef: revision } = await rig.compiled(document);
  const below = await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] });
  await rig.call('runTask', { revision, nodeId: 'node_2', inputs: ['ref' in below ? below.ref : ''] });
  expect(goals).toEqual(['', 'Find genes']);
});
