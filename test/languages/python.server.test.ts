/** Nodes that a Python worker carries out. Without Python or the package index, these tests say why they are skipped. */

import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { activityCapability } from '../../src/capabilities/builtin/index.ts';
import { workflowIdOf } from '../../src/capabilities/builtin/activity/other-workflow.ts';
import type { Effect } from '../../src/plan/index.ts';
import { ACTIVITY_WORKFLOW, type NodesPage, type ResultKind } from '../../src/protocol/index.ts';
import type { Store } from '../../src/store/index.ts';
import { memoryFolder } from '../support/memory-folder.ts';
import { planOf, task } from '../support/plans.ts';
import { handOver, SHORT_HISTORIES } from '../support/hand-over.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { killProcess, python, startProcess } from './workers.ts';

const program = python();
if ('missing' in program) process.stderr.write(`skipped, since there is no Python worker: ${program.missing}\n`);
const command = 'command' in program ? program.command : '';

const input = z.object({
  name: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
  returns: z.string().optional(),
  refuse: z.string().optional(),
  failures: z.number().optional(),
});

function work<Kind extends ResultKind>(
  name: string,
  taskQueue: string,
  effect: Effect,
  output: Kind,
  timeout: object = { startToCloseMs: 30_000 },
) {
  return activityCapability({
    ...{ name, description: `Works (${name}).`, input, output, effect, activity: 'work', taskQueue },
    timeout,
    ...(effect !== 'at-most-once' && { retry: { initialMs: 100 } }),
  });
}

const QUEUE = `python-${process.pid}-${Date.now()}`;
const capabilities = [
  work('read', QUEUE, 'read', 'value'),
  work('list', QUEUE, 'read', 'set'),
  work('mark', QUEUE, 'idempotent', 'value'),
  work('pay', QUEUE, 'at-most-once', 'value'),
  work('pay-soon', QUEUE, 'at-most-once', 'value', { startToCloseMs: 5000 }),
  work('pay-alive', QUEUE, 'at-most-once', 'value', { heartbeatMs: 2000 }),
  work('pay-list', QUEUE, 'at-most-once', 'set'),
  work('nowhere', `${QUEUE}-nobody`, 'at-most-once', 'value'),
];

/** Called with each claim before the attempt that made it goes on. */
let onClaim: (key: string, token: string) => Promise<void> = () => Promise.resolve();
const watchedStore = (store: Store): Store => ({
  ...store,
  async put(key, bytes) {
    const isFirst = await store.put(key, bytes);
    const [, claimed, token] = /"effect":"([^"]+)",.*"token":"([\w-]+)"/.exec(Buffer.from(bytes).toString()) ?? [];
    if (claimed !== undefined && token !== undefined) await onClaim(claimed, token);
    return isFirst;
  },
});

describe.skipIf('missing' in program)('a node of a Python worker', () => {
  const FOLDER = mkdtempSync(join(memoryFolder(), 'planwright-python-'));
  const hire = (taskQueue = QUEUE) =>
    startProcess(command, ['test/languages/worker.py'], { FOLDER, TASK_QUEUE: taskQueue });
  let rig: Rig;
  let worker: ChildProcess;
  beforeAll(async () => {
    rig = await openRig({ capabilities, budget: SHORT_HISTORIES, storeOf: watchedStore });
    [worker] = await Promise.all([hire(), rig.startWorker()]);
  });
  afterAll(async () => {
    await killProcess(worker);
    await rig.close();
    rmSync(FOLDER, { recursive: true });
  });

  let names = 0;
  /** A name of its own for what a test does, and the lines about it in the ledger. */
  function openWorld() {
    const name = `name-${++names}`;
    return {
      name,
      make: (file: string) => writeFile(join(FOLDER, file), ''),
      async ledger() {
        const text = await readFile(join(FOLDER, 'ledger'), 'utf8').catch(() => '');
        return text.split('\n').filter((line) => line.startsWith(`${name} `));
      },
    };
  }
  const nodeOf = async (run: WorkflowHandle) => (await run.query<NodesPage>('nodes')).nodes[0]!;

  test('gets the task as JSON, and its JSON is the result', async () => {
    const { name, ledger } = openWorld();
    const list = task('list', { name, returns: 'set' });
    const result = await rig.run(planOf(task('pay', { name }, { input: list })));
    expect(result).toMatchObject({ outcome: 'done' });
    const inputs = [{ name: 'input', result: [{ id: 'a' }, { id: 'b' }] }];
    expect(await rig.read(result.result?.ref)).toMatchObject({ value: { by: 'python', name, inputs } });
    expect(await ledger()).toHaveLength(2);
  });

  test.each([
    ['nothing', 'pay', null],
    [
      'broken',
      'pay',
      { $unstored: expect.stringMatching(/activity work of task queue .* returned no JSON/) as string },
    ],
    ['nothing', 'pay-list', { $unstored: expect.stringContaining('returned no list of { "id": ... }') as string }],
    ['wrong-set', 'pay-list', { $unstored: expect.stringContaining('records[0]: id is no text') as string }],
    ['scored-set', 'pay-list', { $unstored: expect.stringContaining('left out: "score"') as string }],
  ])('whose effect returns %s (%s) is done, and its result says what is wrong', async (returns, capability, value) => {
    const { name, ledger } = openWorld();
    const result = await rig.run(planOf(task(capability, { name, returns })));
    expect(result).toMatchObject({ outcome: 'done' });
    expect(await rig.read(result.result?.ref)).toMatchObject({ value });
    expect(await ledger()).toHaveLength(1);
  });

  test.each([
    ['pays and then raises', 'pay', { failures: 1 }, /it failed after it paid/],
    ['returns 10 MB', 'pay-soon', { returns: 'large' }, /activity work of task queue/],
  ])('that %s is uncertain: its effect is done once', async (_, capability, args, message) => {
    const { name, ledger } = openWorld();
    const run = await rig.startApproved(planOf(task(capability, { name, ...args })));
    const item = await rig.opened(run, ({ kind }) => kind === 'uncertain');
    expect(item).toMatchObject({ text: expect.stringMatching(message) as string });
    expect(await ledger()).toHaveLength(1);
    await run.terminate();
  });

  test('that says NotApplied has failed, and nothing is uncertain', async () => {
    const { name, ledger } = openWorld();
    const run = await rig.startApproved(planOf(task('pay', { name, refuse: 'NotApplied' })));
    await expect(run.result()).rejects.toThrow();
    expect(await nodeOf(run)).toMatchObject({ status: 'failed', failure: { type: 'NotApplied' } });
    expect(await ledger()).toEqual([]);
  });

  test('that fails is tried again, each time in a workflow of its own', async () => {
    const { name, ledger } = openWorld();
    expect(await rig.run(planOf(task('mark', { name, failures: 2 })))).toMatchObject({ outcome: 'done' });
    expect(new Set(await ledger()).size).toBe(1);
    expect(await ledger()).toHaveLength(3);
  });

  test('whose task queue nobody serves waits and says so, and goes on when somebody does', async () => {
    const { name, ledger } = openWorld();
    const run = await rig.startApproved(planOf(task('nowhere', { name })));
    const { waits } = await rig.until(run, (status) => status.waits !== undefined);
    expect(waits).toMatch(
      /waits for a worker of task queue "python-.*-nobody" for the activity work: start one, since/,
    );
    const other = await hire(`${QUEUE}-nobody`);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    await killProcess(other);
    expect(await ledger()).toHaveLength(1);
  });

  test('waits for the same activity if the worker of its run is replaced', async () => {
    const { name, make, ledger } = openWorld();
    const run = await rig.startApproved(planOf(task('pay', { name, after: `${name}-paid` })));
    await expect.poll(ledger).toHaveLength(1);
    const stopFirst = rig.stopWorker();
    await rig.startWorker();
    await make(`${name}-paid`);
    await stopFirst;
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(await ledger()).toHaveLength(1);
  });

  test.each(['read', 'mark'])('(%s) that a new history stops is joined or begun again there', async (capability) => {
    const { name, make, ledger } = openWorld();
    const run = await rig.startApproved(planOf(task(capability, { name, after: `${name}-go` })));
    await expect.poll(ledger).toHaveLength(1);
    await handOver(run);
    await make(`${name}-go`);
    expect(await rig.client.workflow.getHandle(run.workflowId).result()).toMatchObject({ outcome: 'done' });
    expect((await ledger()).length).toBeLessThanOrEqual(2);
  });

  test.each([
    ['before it begins', { before: 'never' }, 0],
    ['after it paid', { after: 'never' }, 1],
  ])('is cancelled with its run %s', async (_, args, lines) => {
    const { name, ledger } = openWorld();
    const run = await rig.startApproved(planOf(task('pay-alive', { name, ...args })));
    await expect.poll(() => otherOf(run)).toBeDefined();
    const { workflowId = '' } = (await otherOf(run)) ?? {};
    await expect.poll(ledger).toHaveLength(lines);
    await run.cancel();
    await expect(run.result()).rejects.toThrow();
    await expect
      .poll(async () => (await rig.client.workflow.getHandle(workflowId).describe()).status.name)
      .toBe('CANCELLED');
    expect(await ledger()).toHaveLength(lines);
  });

  /** The workflow that a node waits for, as its heartbeat says. */
  async function otherOf(run: WorkflowHandle) {
    const { raw } = await run.describe();
    const [beat] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
    const found = /planwright-activity\/[0-9a-f]{64}/.exec(Buffer.from(beat?.data ?? '').toString());
    return found === null ? undefined : { workflowId: found[0], text: Buffer.from(beat?.data ?? '').toString() };
  }

  test('shows the progress of its activity', async () => {
    const { name, make } = openWorld();
    const run = await rig.startApproved(planOf(task('pay', { name, after: `${name}-paid` })));
    await expect.poll(async () => (await otherOf(run))?.text ?? '').toContain(`"details":{"waits":"${name}-paid"}`);
    await make(`${name}-paid`);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });

  test.each<[string, { readonly type?: string; readonly queue?: string; readonly input?: object }, string]>([
    ['of another type', { type: 'otherWorkflow' }, 'its type is "otherWorkflow"'],
    ['on another task queue', { queue: 'elsewhere' }, 'its task queue is "elsewhere"'],
    ['with another input', { input: { activity: 'work' } }, 'its input is'],
  ])('whose id has a workflow %s fails and names it', async (_, other, problem) => {
    const { type = ACTIVITY_WORKFLOW, queue = rig.taskQueue, input: args = {} } = other;
    const { name, ledger } = openWorld();
    const { run, digest } = await rig.startAsked(planOf(task('pay', { name })));
    let id = '';
    onClaim = async (key, token) => {
      onClaim = () => Promise.resolve();
      id = workflowIdOf(key, token);
      await rig.client.workflow.start(type, { workflowId: id, taskQueue: queue, args: [args], startDelay: '1 hour' });
    };
    await rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator' });
    await expect(run.result()).rejects.toThrow();
    const { failure } = await nodeOf(run);
    expect(failure).toMatchObject({ type: 'NotApplied' });
    expect(failure?.message).toContain(`somebody else started the workflow ${id}`);
    expect(failure?.message).toContain(problem);
    expect(await ledger()).toEqual([]);
    await rig.client.workflow.getHandle(id).terminate();
  });
});
