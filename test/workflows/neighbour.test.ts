import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import { ids } from '../support/capabilities.ts';
import { idsOf, planOf, task } from '../support/plans.ts';
import { openRig } from '../support/rig.ts';

test('another workflow approves, answers and controls by signals', async () => {
  const rig = await openRig({ capabilities: [ids] });
  const connection = await NativeConnection.connect({ address: inject('address') });
  const taskQueue = `${rig.taskQueue}-neighbour`;
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: fileURLToPath(new URL('../support/neighbour-workflow.ts', import.meta.url)),
  });
  try {
    await worker.runUntil(async () => {
      let spoken = 0;
      const speak = (workflowId: string, signal: string, message: object) =>
        rig.client.workflow.execute('neighbour', {
          taskQueue,
          workflowId: `${taskQueue}-${++spoken}`,
          args: [workflowId, signal, message],
        });
      const run = await rig.start({
        plan: {
          goal: 'Ask',
          steps: [
            { step_id: 1, capability: 'ask', arguments: { question: 'Go?' }, description: 'asks' },
            { step_id: 2, ...idsOf('a'), description: 'reads' },
          ].map(({ step_id, capability, arguments: args, description }) => ({
            step_id,
            capability,
            arguments: args,
            description,
          })),
        },
      });
      const { digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
      await speak(run.workflowId, 'control', { action: 'pause', by: 'neighbour' });
      await speak(run.workflowId, 'approve', { digest, by: 'neighbour' });
      await speak(run.workflowId, 'control', { action: 'resume', by: 'neighbour' });
      const { id } = await rig.opened(run, ({ kind }) => kind === 'question');
      await speak(run.workflowId, 'answer', { question: id, value: 'go', by: 'neighbour' });
      expect(await run.result()).toMatchObject({ outcome: 'done' });
      expect((await rig.trace(run)).map(({ what }) => what)).toEqual(
        expect.arrayContaining(['control', 'decision', 'answer', 'closed']),
      );
      expect(await rig.trace(run, 'refused')).toEqual([]);
    });
  } finally {
    await connection.close();
    await rig.close();
  }
});

test('the words of a run are described for whoever opens it in the Web UI', async () => {
  const rig = await openRig({ capabilities: [ids] });
  try {
    const run = await rig.start(planOf(task('ask', { question: 'Go?' }), { approval: 'effects' }));
    const { send } = await rig.opened(run, ({ kind }) => kind === 'question');
    const metadata = await run.query<Metadata>('__temporal_workflow_metadata');
    const described = (list: readonly Described[]) => list.filter(({ description }) => (description ?? '') !== '');
    expect(described(metadata.definition.signalDefinitions).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['approve', 'reject', 'decide', 'answer', 'control']),
    );
    expect(described(metadata.definition.updateDefinitions).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['decide', 'answer', 'control']),
    );
    expect(metadata.currentDetails).toContain(JSON.stringify(send.input));
    // Both runs are in the memory of one worker, which renders the details of each when it is asked for them.
    const other = await rig.start(planOf(task('ask', { question: 'Stay?' }), { approval: 'effects' }));
    await rig.opened(other, ({ kind }) => kind === 'question');
    const details = async (of: typeof run) => (await of.query<Metadata>('__temporal_workflow_metadata')).currentDetails;
    for (const [of, text] of [
      [run, 'Go?'],
      [other, 'Stay?'],
      [run, 'Go?'],
    ] as const) {
      expect(await details(of)).toContain(`- ${text}`);
    }
    for (const each of [run, other]) {
      await each.cancel();
      await each.result().catch(() => undefined);
      expect(await details(each)).toContain('### Closed: cancelled');
    }
  } finally {
    await rig.close();
  }
});

interface Described {
  readonly name: string;
  readonly description?: string;
}
interface Metadata {
  readonly currentDetails: string;
  readonly definition: {
    readonly signalDefinitions: readonly Described[];
    readonly updateDefinitions: readonly Described[];
  };
}
