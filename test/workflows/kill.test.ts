/** Osprey: kill flag, on the server: of a loop that decides, and of a run with an agent at work. */

import { describe, expect, test } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import { defineAgent } from '../../src/capabilities/index.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { scriptedClient, type ModelClient, type ScriptedLine } from '../../src/models/index.ts';
import { createBarrier, ids, waits, writes } from '../support/capabilities.ts';
import { ownRig, type Rig, type RigOptions } from '../support/rig.ts';

const barrier = createBarrier();
const capabilities = [ids, waits(barrier), writes('writes', 'idempotent', [])];
const WHO = { by: 'operator', comment: 'the beam is lost' };

const rigWith = (options: Partial<RigOptions>) => ownRig({ capabilities, ...options });

const kill = (rig: Rig, run: WorkflowHandle) => rig.say(run, 'control', { action: 'kill', ...WHO });
const resultOf = (run: WorkflowHandle) => run.result() as Promise<RunResult>;

/** Says nothing until it is stopped. */
const silent: ModelClient = {
  name: 'silent',
  async complete(_, { signal = new AbortController().signal } = {}) {
    await barrier.wait('asked', signal).finally(() => void barrier.wait('stopped', signal));
    throw new Error('nobody lets it speak');
  },
};

describe('Osprey: kill flag', () => {
  test('a loop while it decides: the call of the model is stopped', async () => {
    const rig = await rigWith({ model: silent });
    const run = await rig.start({ goal: 'Find a', options: { mode: 'reactive', approval: 'effects' } });
    await barrier.reached('asked');
    expect(await kill(rig, run)).toContain('killed');
    expect(await resultOf(run)).toMatchObject({ outcome: 'aborted', revision: 0, ...WHO });
    await barrier.reached('stopped');
  });

  test('an agent at work is told, and ends with the run whose task it has', async () => {
    const call: ScriptedLine = {
      reply: { toolCalls: [{ id: 'call_1', name: 'waits', arguments: JSON.stringify({ at: 'agent' }) }] },
    };
    const researcher = defineAgent({
      name: 'researcher',
      description: 'Finds sources.',
      instructions: 'Search.',
      capabilities,
      limits: { rounds: 3 },
    });
    const rig = await rigWith({ model: scriptedClient([call]), agents: [researcher] });
    const plan = { goal: 'Compare', plan: { task: 'Find sources', agent: 'researcher' } };
    const run = await rig.start({ ...plan, options: { approval: 'effects' } });
    await rig.approve(run);
    const { children = [] } = await rig.until(run, (status) => (status.children?.length ?? 0) > 0);
    const child = rig.client.workflow.getHandle(children[0]?.workflowId ?? '');
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
