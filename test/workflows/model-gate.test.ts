/** A run that is paused while its next step is being decided buys nothing, on the real server. */

import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import { scriptedClient } from '../../src/models/index.ts';
import type { RoundSurroundings, ToolDecision } from '../../src/capabilities/index.ts';
import { definePolicy } from '../../src/capabilities/policy/index.ts';
import { DATA_CONVERTER } from '../../src/worker/index.ts';
import { ids } from '../support/capabilities.ts';
import { openRig } from '../support/rig.ts';

function promised() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

test(
  'a loop that is paused before its model is asked asks it once it is resumed, and once',
  { timeout: 120_000 },
  async () => {
    const [isDeciding, mayGoOn] = [promised(), promised()];
    const policy = definePolicy<object, ToolDecision, RoundSurroundings>({
      name: 'waits',
      initial: () => ({}),
      stages: [
        {
          kind: 'enrich',
          name: 'before_the_model',
          run: async (_, { round }) => {
            if (round === 2) {
              isDeciding.resolve();
              await mayGoOn.promise;
            }
            return undefined;
          },
        },
        { kind: 'decide', name: 'decide', run: async (_, around) => ({ decision: await around.decide() }) },
      ],
      actions: {
        capability: { dispatch: (step) => step },
        reads: { dispatch: (step) => step },
        agent: { dispatch: (step) => step },
        plan: { dispatch: (step) => step },
        none: { dispatch: (step) => step },
        finish: { ends: true, dispatch: (step) => step },
      },
    });
    const call = { id: 'call', name: 'ids', arguments: JSON.stringify({ ids: ['a'], task: 'Find them' }) };
    const end = { id: 'end', name: 'finish', arguments: JSON.stringify({ answer: 'It is done.' }) };
    const model = scriptedClient([{ reply: { toolCalls: [call] } }, { reply: { toolCalls: [end] } }]);
    const rig = await openRig({ capabilities: [ids], model, policy });
    try {
      const run = await rig.start({ goal: 'Find it', options: { mode: 'reactive' } });
      await isDeciding.promise;
      expect(await rig.say(run, 'control', { action: 'pause', by: 'operator' })).toContain('paused');
      mayGoOn.resolve();
      await expect
        .poll(async () => (await rig.trace(run)).map(({ text }) => text), { timeout: 60_000 })
        .toContainEqual('the next decision has not begun: the run is paused');
      expect(model.requests).toHaveLength(1);
      await rig.say(run, 'control', { action: 'resume', by: 'operator' });
      expect(await run.result()).toMatchObject({ outcome: 'done' });
      expect(model.requests).toHaveLength(2);
    } finally {
      await rig.close();
    }
  },
);

test('an agent whose run is paused while no worker runs asks no model when one comes', { tags: ['slow'] }, async () => {
  const end = { id: 'end', name: 'finish', arguments: JSON.stringify({ answer: 'It is done.' }) };
  const model = scriptedClient([{ reply: { toolCalls: [end] } }]);
  const agent = defineAgent({ name: 'finder', description: 'Finds.', instructions: 'Find.', capabilities: [ids] });
  const rig = await openRig({ capabilities: [ids], agents: [agent], model });
  try {
    await rig.stopWorker();
    const connection = await NativeConnection.connect({ address: inject('address') });
    const worker = (more: object) =>
      Worker.create({
        connection,
        taskQueue: rig.taskQueue,
        workflowBundle: { codePath: inject('bundlePath') },
        dataConverter: DATA_CONVERTER,
        ...more,
      });
    const run = await rig.start({ goal: 'Find it', plan: { task: 'Find it', agent: 'finder' } });
    // The plan is compiled by a worker of its own; from then on workflows alone are carried out.
    await rig.startWorker();
    await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
    await rig.stopWorker();
    const shell = await worker({});
    const child = await shell.runUntil(async () => {
      const { digest } = await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
      await run.signal('approve', { digest: digest.slice(0, 8), by: 'operator' });
      const { children = [] } = await rig.until(run, ({ children: some = [] }) => some.length > 0);
      const agentRun = rig.client.workflow.getHandle(children[0]?.workflowId ?? '');
      await rig.until(agentRun, ({ loop }) => loop?.round === 1);
      const waits = async () => (await agentRun.describe()).raw.pendingActivities?.length;
      await expect.poll(waits, { timeout: 20_000 }).toBe(1);
      return agentRun;
    });
    await connection.close();
    // Nobody tells the agent so before a worker is there again.
    await run.signal('control', { action: 'pause', by: 'operator' });
    await rig.startWorker();
    await rig.until(child, ({ paused }) => paused === true);
    const lines = async () => (await rig.trace(child)).map(({ text }) => text);
    await expect
      .poll(lines, { timeout: 20_000 })
      .toContainEqual(expect.stringMatching(/^the next decision has not begun/));
    expect(model.requests).toHaveLength(0);
    await rig.say(run, 'control', { action: 'resume', by: 'operator' });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(model.requests).toHaveLength(1);
  } finally {
    await rig.close();
  }
});
