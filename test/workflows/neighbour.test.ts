/** A run and others: another workflow speaks to it, the Web UI describes it, and it is asked after it was ended from outside. */

import { expect, test } from 'vitest';
import { ids } from '../support/capabilities.ts';
import { idsOf, planOf, task } from '../support/plans.ts';
import { asStranger } from '../support/stranger.ts';
import { sharedRig, plansOf } from '../support/rig.ts';
import { UNHEARD } from '../../src/protocol/index.ts';

const NEIGHBOUR = new URL('../support/neighbour-workflow.ts', import.meta.url);
const rig = await sharedRig({ capabilities: [ids] });

test('another workflow approves, answers and controls by signals', () =>
  asStranger(rig, NEIGHBOUR, async (execute) => {
    let spoken = 0;
    const run = await rig.start(planOf(task('ids', { ids: ['a'] }, { input: task('ask', { question: 'Go?' }) })));
    const speak = (signal: string, message: object) =>
      execute('neighbour', `${run.workflowId}-${++spoken}`, [run.workflowId, signal, { ...message, by: 'neighbour' }]);
    const { digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
    await speak('control', { action: 'pause' });
    await speak('approve', { digest });
    await speak('control', { action: 'resume' });
    const { id } = await rig.opened(run, ({ kind }) => kind === 'question');
    await speak('answer', { question: id, value: 'go' });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    const told = (await rig.trace(run)).map(({ what }) => what);
    expect(told).toEqual(expect.arrayContaining(['control', 'decision', 'answer', 'closed']));
    expect(await rig.trace(run, 'refused')).toEqual([]);
  }));

test('the words of a run are described for whoever opens it in the Web UI', async () => {
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
});

test('a run that is terminated while no worker hears its signals answers as it was before them', async () => {
  const started = await plansOf(rig).start({ goal: 'ids', plan: idsOf('a') });
  if (!started.ok) throw new Error(JSON.stringify(started.issues));
  const { run, plan } = started;
  const handle = rig.client.workflow.getHandle(run.workflowId);
  const before = await rig.until(handle, ({ waitingFor }) => waitingFor > 0);
  await rig.stopWorker();
  await handle.signal('decide', { kind: 'approve', digest: plan.digest, by: 'operator' });
  await handle.terminate('no worker was there');
  await rig.startWorker();
  const { historyLength } = await handle.describe();
  const query = (page: object) => handle.query('status', page);
  await expect(query({})).rejects.toThrow(UNHEARD);
  await expect(query({ ended: historyLength - 1 })).rejects.toThrow(UNHEARD);
  expect(await query({ ended: historyLength })).toEqual(before);
  expect((await run.view(['status'])).status).toEqual(before);
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
