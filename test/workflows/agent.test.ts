/** A task that is given to an agent: a child run in which a model decides one step after the other. */

import { describe, expect, test } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import { defineAgent } from '../../src/capabilities/index.ts';
import type { RunResult, RunStatus } from '../../src/protocol/index.ts';
import { scriptedClient, type ModelClient, type ScriptedLine } from '../../src/models/index.ts';
import { createBarrier, echo, fails, ids, waits, writes } from '../support/capabilities.ts';
import { ownRig, type Rig, type RigOptions } from '../support/rig.ts';
import { call, finish } from '../support/calls.ts';

const written: string[] = [];
const write = writes('writes', 'idempotent', written);
const barrier = createBarrier();
const researcher = defineAgent({
  name: 'researcher',
  description: 'Finds sources.',
  instructions: 'Search before you answer.',
  capabilities: [ids, echo, fails, write, waits(barrier)],
  limits: { rounds: 6 },
});

async function rigWith(lines: readonly ScriptedLine[], options: Partial<RigOptions> = {}) {
  const model = scriptedClient(lines);
  const rig = await ownRig({ capabilities: [ids, echo], agents: [researcher], model, ...options });
  return { rig, model };
}

const PLAN = { goal: 'Compare', plan: { task: 'Find sources', agent: 'researcher', hint: 'two of them' } };
const resultOf = (run: WorkflowHandle) => run.result() as Promise<RunResult>;

describe('an agent', () => {
  test('searches, sees what came of it, and answers; its node takes the answer', async () => {
    const { rig, model } = await rigWith([call('ids', { ids: ['a', 'b'], task: 'Search' }), finish('a and b')]);
    const run = await rig.startApproved({ ...PLAN, options: { approval: 'effects' } });
    const { result } = await resultOf(run);
    expect(await rig.read(result?.ref)).toMatchObject({ kind: 'text', text: 'a and b' });
    const [first, second] = model.requests;
    // Pathfinder: the prompt of a sub-agent: goal, task, hint.
    const asked = JSON.stringify(first?.messages);
    for (const piece of ['Compare', 'Find sources', 'two of them', 'Search before you answer.'])
      expect(asked).toContain(piece);
    expect(first?.messages[0]).toEqual(second?.messages[0]);
    expect(JSON.stringify(second?.messages)).toContain('2 records: a, b');
  });

  test('a write of an agent is a plan of its own, approved in its run, and begins once', async () => {
    const { rig } = await rigWith([call('writes', { value: 'target' }), finish('written')]);
    const run = await rig.startApproved(PLAN);
    const child = await rig.childOf(run);
    await rig.until(run, ({ children = [] }) => children[0]?.waitingFor === 1);
    // The root tells what waits in its agent, and how it is answered there.
    const [own] = await rig.open(child);
    expect(await rig.open(run)).toEqual([{ run: child.workflowId, waitingFor: 1, items: [own] }]);
    expect(own).toMatchObject({ workflowId: child.workflowId, effects: [{ title: 'writes: capability writes' }] });
    expect((await rig.until(run, () => true)).next).toContain(`signal -w ${child.workflowId} --name approve`);
    expect(written).toEqual([]);
    const status = await rig.until(child, ({ phase }) => phase === 'awaiting-approval');
    expect(status.loop).toMatchObject({ round: 1 });
    await rig.approve(child);
    const { result } = await resultOf(run);
    expect(await rig.read(result?.ref)).toMatchObject({ text: 'written' });
    expect(written.length).toBe(1);
  });

  test('a step that a person refuses is told to the model, and does not happen', async () => {
    const before = written.length;
    const { rig, model } = await rigWith([call('writes', { value: 'x' }), finish('not written')]);
    const run = await rig.startApproved(PLAN);
    const child = await rig.childOf(run);
    const { digest } = await rig.until(child, ({ phase }) => phase === 'awaiting-approval');
    await rig.say(child, 'decide', { kind: 'reject', digest, by: 'operator', comment: 'too risky' });
    expect((await resultOf(run)).outcome).toBe('done');
    expect(written.length).toBe(before);
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('operator refused it: too risky');
  });

  test('Pathfinder: no_steps: five replies that are no step end it, and say so', async () => {
    const { rig } = await rigWith(Array.from({ length: 5 }, () => ({ reply: ' ' })));
    const run = await rig.startApproved({ ...PLAN, options: { approval: 'effects' } });
    await expect(resultOf(run)).rejects.toMatchObject({
      cause: { type: 'PlanFailed', message: expect.stringContaining('no-result') },
    });
  });

  test('a plan of its own is one step; one with errors is told with all of them, and nothing is run', async () => {
    const union = {
      goal: 'Both',
      plan: {
        operator: 'UNION',
        left: { task: 'x', capability: 'ids', arguments: { ids: ['a'] } },
        right: { task: 'y', capability: 'ids', arguments: { ids: ['b'] } },
      },
    };
    const wrong = { goal: 'Both', plan: { operator: 'NOSUCH', left: { task: 'x' }, right: { task: '' } } };
    const { rig, model } = await rigWith([call('submit_plan', wrong), call('submit_plan', union), finish('both')]);
    const run = await rig.startApproved({ ...PLAN, options: { approval: 'effects' } });
    expect((await resultOf(run)).outcome).toBe('done');
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Nothing was carried out');
    expect(JSON.stringify(model.requests[2]?.messages)).toContain('2 records: a, b');
  });

  test('an agent whose run is cancelled with its parent ends', async () => {
    const { rig } = await rigWith([call('waits', { at: 'long' })]);
    const run = await rig.startApproved({ ...PLAN, options: { approval: 'effects' } });
    const child = await rig.childOf(run);
    await barrier.reached('long');
    await run.cancel();
    await expect(run.result()).rejects.toThrow(/cancel/i);
    expect((await child.describe()).status.name).toBe('CANCELLED');
  });
});

describe('a goal that is carried out step by step', () => {
  test('decides, does, observes and finishes', async () => {
    const { rig, model } = await rigWith([call('ids', { ids: ['a'] }), finish('found a')]);
    const run = await rig.start({ goal: 'Find a', options: { mode: 'reactive', approval: 'effects' } });
    const result = await resultOf(run);
    expect(result.outcome).toBe('done');
    expect(await rig.read(result.result?.ref)).toMatchObject({ text: 'found a' });
    expect(model.left).toBe(0);
    expect(await run.query<RunStatus>('status')).toMatchObject({ usage: { calls: 2 }, loop: { round: 2 } });
  });

  test('Osprey: respond ends the run, at the guard too, and clarify waits in it', async () => {
    const { rig, model } = await rigWith([
      call('clarify', { questions: ['Which genes?'] }),
      call('respond', { task: 'Say what was found' }),
      { reply: { text: 'Those of the operator.' } },
    ]);
    const run = await rig.start({ goal: 'Find', options: { mode: 'reactive', approval: 'required', maxRounds: 2 } });
    const { id } = await rig.opened(run, ({ kind }) => kind === 'question');
    await rig.say(run, 'answer', { question: id, value: 'a', by: 'operator' });
    const result = await resultOf(run);
    expect(result.outcome).toBe('done');
    expect(await rig.read(result.result?.ref)).toMatchObject({ text: 'Those of the operator.' });
    expect(model.left).toBe(0);
  });
});

describe('Osprey: kill flag', () => {
  const WHO = { by: 'operator', comment: 'the beam is lost' };
  const kill = (rig: Rig, run: WorkflowHandle) => rig.say(run, 'control', { action: 'kill', ...WHO });
  /** Says nothing until it is stopped. */
  const silent: ModelClient = {
    name: 'silent',
    async complete(_, { signal = new AbortController().signal } = {}) {
      await barrier.wait('asked', signal).finally(() => void barrier.wait('stopped', signal));
      throw new Error('nobody lets it speak');
    },
  };

  test('a loop while it decides: the call of the model is stopped', async () => {
    const { rig } = await rigWith([], { model: silent });
    const run = await rig.start({ goal: 'Find a', options: { mode: 'reactive', approval: 'effects' } });
    await barrier.reached('asked');
    expect(await kill(rig, run)).toContain('killed');
    expect(await resultOf(run)).toMatchObject({ outcome: 'aborted', revision: 0, ...WHO });
    await barrier.reached('stopped');
  });

  test('an agent at work is told, and ends with the run whose task it has', async () => {
    const { rig } = await rigWith([call('waits', { at: 'agent' })]);
    const run = await rig.startApproved({ ...PLAN, options: { approval: 'effects' } });
    const child = await rig.childOf(run);
    await barrier.reached('agent');
    await kill(rig, run);
    expect(await resultOf(run)).toMatchObject({ outcome: 'aborted', ...WHO });
    expect(await rig.statuses(run)).toEqual(['cancelled']);
    expect(await resultOf(child)).toMatchObject({ outcome: 'aborted', ...WHO });
    expect(await rig.trace(child, 'control')).toMatchObject([
      { text: expect.stringContaining('kill by operator (the beam is lost)') },
    ]);
  });
});
