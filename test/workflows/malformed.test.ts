import type { temporal } from '@temporalio/proto';
import { describe, expect, test } from 'vitest';
import { ids } from '../support/capabilities.ts';
import { idsOf, planOf } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

type Payload = temporal.api.common.v1.IPayload;

const text = (value: string) => new TextEncoder().encode(value);
const POISON: [string, Payload][] = [
  ['invalid JSON', { metadata: { encoding: text('json/plain') }, data: text('{"digest": ') }],
  ['an unknown encoding', { metadata: { encoding: text('binary/encrypted') }, data: text('x') }],
  ['no metadata', { data: text('{}') }],
  ['an empty payload', {}],
  ['no data', { metadata: { encoding: text('json/plain') }, data: new Uint8Array() }],
  ['an encoding that is no text', { metadata: { encoding: new Uint8Array([255, 254]) }, data: text('{}') }],
];
const MANY = Array.from({ length: 60_000 }, (_, number) => `key ${number}`);

const rig = await sharedRig({ capabilities: [ids] });

describe('a signal that cannot be read is kept with its reason, and the run goes on', () => {
  test.each(POISON)('%s', async (_, payload) => {
    const run = await rig.start(planOf(idsOf('a')));
    await signalRaw(run.workflowId, 'approve', [payload]);
    await rig.approve(run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(await rig.trace(run, 'refused')).toMatchObject([
      { text: expect.stringContaining('could not be decoded') as string },
    ]);
  });

  test('a name that Temporal keeps for itself', async () => {
    const run = await rig.start(planOf(idsOf('a')));
    for (const name of ['__temporal_x', '__stack_trace']) await run.signal(name, { by: 'ana' });
    await rig.approve(run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect((await rig.trace(run, 'refused')).map((entry) => entry.text)).toEqual([
      'unknown signal "reserved name: __temporal_x"',
      'unknown signal "__stack_trace"',
    ]);
  });
});

describe('an input that cannot be run fails as InvalidInput', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'got nothing'],
    ['an unknown option', planOf(idsOf('a'), { aproval: 1 }), 'unknown key "aproval"'],
    ['only a goal', { goal: 'g' }, 'has no model'],
    ['a reference to nothing', { ref: 'A'.repeat(43) }, '$.ref: There is no result'],
    ['60,000 unknown keys', Object.fromEntries(MANY.map((key) => [key, 0])), 'and 96 more lines'],
  ])('%s', async (_, input, message) => {
    const run = await rig.start(input);
    await expect(run.result()).rejects.toMatchObject({
      cause: { type: 'InvalidInput', message: expect.stringContaining(message) as string },
    });
  });

  test('a payload that cannot be decoded', async () => {
    const workflowId = `${rig.taskQueue}-poisoned`;
    await rig.connection.workflowService.startWorkflowExecution({
      namespace: 'default',
      workflowId,
      requestId: workflowId,
      workflowType: { name: 'planWorkflow' },
      taskQueue: { name: rig.taskQueue },
      input: { payloads: [{ metadata: { encoding: text('json/plain') }, data: text('{"goal"') }] },
    });
    await expect(rig.client.workflow.getHandle(workflowId).result()).rejects.toMatchObject({
      cause: { type: 'InvalidInput', message: expect.stringContaining('could not be decoded') as string },
    });
  });
});

async function signalRaw(workflowId: string, signalName: string, payloads: Payload[]): Promise<void> {
  await rig.connection.workflowService.signalWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    signalName,
    input: { payloads },
  });
}
