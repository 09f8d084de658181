/** A run goes on in a new history, and nobody notices: nothing is lost, answered twice, or run again. */

import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/config/project/index.ts';
import { list } from '../../src/operations/list.ts';
import type { HistoryBudget, RunResult, RunStatus } from '../../src/protocol/index.ts';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { createBarrier, ids, waits, writes, which } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { signedTo } from '../support/chain-of.ts';
import { plansOf, sharedRig } from '../support/rig.ts';

/** A new history every few nodes. */
const TINY: HistoryBudget = { soft: { events: 30, bytes: 2 ** 20 }, hard: { events: 200, bytes: 2 ** 22 } };

const barrier = createBarrier();
const written: string[] = [];
const keys = createKeyPair();
const capabilities = [ids, which, waits(barrier), writes('once', 'at-most-once', written)];
const rig = await sharedRig({ capabilities, budget: TINY });
const identity = { keys: { ops: { publicKey: keys.publicKey } } };
const signed = await sharedRig({ capabilities, budget: TINY, identity });
const plans = plansOf(rig);

/** A balanced union of so many leaves. */
function tree(leaves: number, leaf: (n: number) => object = (n) => idsOf(`id${n}`)): object {
  let level: object[] = Array.from({ length: leaves }, (_, n) => leaf(n));
  while (level.length > 1) {
    const above: object[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at] as object, level[at + 1]];
      above.push(right === undefined ? left : combine('UNION', left, right));
    }
    level = above;
  }
  return level[0] as object;
}

function gate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), passed };
}

/** Too long to travel inline. */
const LONG = { context: { long: 'x'.repeat(80_000) } };

/**
 * Talks to a run until it hands over, and does something while it saves its snapshot; the store waits for that.
 */
async function whileItHandsOver(run: WorkflowHandle, act: () => Promise<unknown>): Promise<void> {
  const { store } = rig;
  const put = store.put.bind(store);
  const [reached, opened] = [gate(), gate()];
  Object.assign(store, {
    put: async (key: string, bytes: Uint8Array) => {
      reached.open();
      await opened.passed;
      return put(key, bytes);
    },
  });
  try {
    for (let n = 0; n < 60; n++) await run.signal('control', { action: n % 2 === 0 ? 'pause' : 'resume', by: `${n}` });
    await reached.passed;
    await act();
  } finally {
    opened.open();
    Object.assign(store, { put });
  }
}

/** The names of the signals in the newest history. */
async function eventsOf(run: WorkflowHandle): Promise<readonly (string | null | undefined)[]> {
  const { events } = await run.fetchHistory();
  return (events ?? []).map((event) => event.workflowExecutionSignaledEventAttributes?.signalName);
}

/** How many histories a run has had so far. */
async function historiesOf(run: WorkflowHandle): Promise<number> {
  let histories = 0;
  for await (const _ of rig.client.workflow.list({ query: `WorkflowId = "${run.workflowId}"` })) histories += 1;
  return histories;
}

describe('a plan of many nodes', () => {
  test('runs each node once, through several histories, and gives its result', async () => {
    const run = await rig.start(planOf(tree(40), { approval: 'effects', concurrency: 7, lane: 'visible' }));
    const result = (await run.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'done', result: { count: 40 } });
    expect(new Set(Object.values(rig.begun(run)))).toEqual(new Set([1]));
    expect(Object.keys(rig.begun(run))).toHaveLength(79);
    await expect.poll(() => historiesOf(run)).toBeGreaterThan(3);
    const begun = async (histories: number) => (await plans.run(run.workflowId).view(['begun'], { histories })).begun;
    const { nodes, missing } = await begun(1000);
    expect([nodes.length, missing]).toEqual([79, undefined]);
    const newest = await begun(1);
    expect(newest.missing).toBe('unread');
    expect(newest.nodes.length).toBeLessThan(79);
  });

  test('stands once in the list, with its goal and the time at which it was started', async () => {
    const goal = `Go on and on ${Date.now()}`;
    const { plan } = planOf(tree(12), {});
    const started = await plans.start(
      { goal, plan },
      { options: { approval: 'effects', concurrency: 3, lane: 'visible' } },
    );
    if (!started.ok) throw new Error('the plan does not compile');
    const { workflowId } = started.run;
    const run = rig.client.workflow.getHandle(workflowId);
    await started.run.end();
    await expect.poll(() => historiesOf(run)).toBeGreaterThan(1);
    const session = { client: rig.client, namespace: 'default', plans } as unknown as Session;
    const reach = { session: () => Promise.resolve(session) } as unknown as Parameters<typeof list.run>[0];
    const listed = async () =>
      (await list.run(reach, { limit: 1000 })).runs.filter((one) => one.workflowId === workflowId);
    await expect.poll(async () => (await listed()).map(({ status }) => status)).toEqual(['completed']);
    const { firstRunId } = (await run.describe()).raw.workflowExecutionInfo ?? {};
    const first = await rig.client.workflow.getHandle(workflowId, firstRunId ?? '').describe();
    expect(await listed()).toMatchObject([{ goal, startTime: first.startTime.toISOString() }]);
  });

  test('is asked and told as if nothing had happened', async () => {
    const name = 'asked-and-told';
    const leaves = (n: number) => (n === 39 ? task('waits', { at: name }) : idsOf(`id${n}`));
    const run = await rig.startApproved(planOf(tree(40, leaves), { concurrency: 7, lane: 'visible' }));
    await barrier.reached(name);
    const before = await rig.until(run, ({ counts }) => counts.running === 1 && counts.succeeded > 60);
    // The node that lasts holds the others back for a while and no longer; what is done is done once.
    expect(before).toMatchObject({ phase: 'running', revision: 1 });
    const nodes = [];
    for (const node of (await plans.run(run.workflowId).view(['nodes'])).nodes) nodes.push(node);
    expect(nodes).toHaveLength(79);
    const [first] = nodes;
    expect(await plans.run(run.workflowId).readResult(first?.result?.ref ?? '')).toMatchObject({ kind: 'set' });
    expect((await rig.trace(run, 'decision')).map(({ said }) => said?.kind)).toEqual(['approve']);
    barrier.open(name);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(new Set(Object.values(rig.begun(run)))).toEqual(new Set([1]));
    const after = await run.query<RunStatus>('status');
    expect(after).toMatchObject({ phase: 'closed', outcome: 'done', startedAt: before.startedAt });
  });
});

describe('what is said', () => {
  const stepsOf = (count: number, step: (n: number) => object) => ({
    goal: 'g',
    steps: Array.from({ length: count }, (_, n) => ({ context_key: `k${n}`, task_objective: `do ${n}`, ...step(n) })),
  });

  test('questions asked in one history are answered in another, each once, by signal and by update', async () => {
    const plan = stepsOf(24, (n) => ({ capability: 'ask', parameters: { question: `which ${n}?` } }));
    const run = await rig.start({ plan, options: { approval: 'effects' } });
    await rig.until(run, ({ waitingFor }) => waitingFor === 24);
    const open = await rig.open(run);
    await Promise.all(
      open.map(async ({ id, text }, at) => {
        const said = { question: id, value: text, by: 'operator' };
        await (at % 2 === 0 ? run.signal('answer', said) : plans.run(run.workflowId).answer(said));
      }),
    );
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('done');
    for (let n = 0; n < 24; n++) {
      expect(await rig.read(result.results?.[`k${n}`]?.ref)).toMatchObject({ value: `which ${n}?` });
    }
    expect((await rig.trace(run, 'answer')).map(({ said }) => said?.question).toSorted()).toEqual(
      open.map(({ id }) => id).toSorted(),
    );
    expect(await historiesOf(run)).toBeGreaterThan(2);
  });

  test('a flood of messages leads to a new history too, and none is lost', async () => {
    const { run, digest } = await rig.startAsked(planOf(idsOf('a')));
    // Each changes something: pause and resume in turn.
    for (let n = 0; n < 60; n++) {
      await run.signal('control', { action: n % 2 === 0 ? 'pause' : 'resume', by: `operator ${n}` });
    }
    await rig.until(run, ({ paused }) => paused !== true);
    await expect.poll(async () => (await rig.trace(run, 'control')).length).toBe(60);
    expect((await rig.trace(run, 'control')).map(({ said }) => said?.['by'])).toEqual(
      Array.from({ length: 60 }, (_, n) => `operator ${n}`),
    );
    await expect.poll(() => historiesOf(run)).toBeGreaterThan(1);
    await run.signal('approve', { digest, by: 'operator' });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
  });

  test('megabytes that come while a run hands over do not wedge it', async () => {
    const { run, digest } = await rig.startAsked(planOf(idsOf('a'), LONG));
    await whileItHandsOver(run, async () => {
      const large = { action: 'pause', by: 'operator', comment: 'x'.repeat(2 ** 20) };
      for (let n = 0; n < 6; n++) await run.signal('control', large);
    });
    await expect.poll(() => historiesOf(run)).toBeGreaterThan(1);
    await run.signal('reject', { digest, by: 'operator' });
    expect(await run.result()).toMatchObject({ outcome: 'rejected' });
  });

  test('a cancellation that comes while a run saves what it carries over ends it cancelled', async () => {
    const run = await rig.start(planOf(idsOf('a'), LONG));
    await rig.opened(run, () => true);
    await whileItHandsOver(run, () => run.cancel());
    await expect(run.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect((await run.describe()).status.name).toBe('CANCELLED');
    expect(await run.query<RunStatus>('status')).toMatchObject({ outcome: 'cancelled' });
  });

  test('an unknown signal and an update that come while a run hands over are heard in the next history', async () => {
    const run = await rig.start(planOf(idsOf('a'), LONG));
    await rig.opened(run, () => true);
    let answer: Promise<string> = Promise.resolve('');
    await whileItHandsOver(run, async () => {
      await run.signal('nobody-knows-it', {});
      answer = rig.say(run, 'control', { action: 'pause', by: 'operator' });
      await expect.poll(() => eventsOf(run)).toContain('nobody-knows-it');
    });
    expect(await answer).toMatch(/paused/);
    const unknown = (await rig.trace(run, 'refused')).filter(({ text }) => text.includes('nobody-knows-it'));
    expect(unknown).toHaveLength(1);
    expect(await historiesOf(run)).toBeGreaterThan(1);
    await run.cancel();
  });

  test('an update with the id of one that an earlier history answered is answered alike, and does nothing', async () => {
    const run = await rig.start(planOf(idsOf('a')));
    await rig.opened(run, () => true);
    const pause = { args: [{ action: 'pause', by: 'operator' }] as [unknown], updateId: 'the-same' };
    const first = await run.executeUpdate('control', pause);
    // A run goes on while little comes: each is heard before the next is sent.
    for (let n = 0; (await historiesOf(run)) < 2; n++) {
      await run.signal('control', { action: n % 2 === 0 ? 'resume' : 'pause', by: 'operator' });
      await rig.until(run, () => true);
    }
    const traced = (await rig.trace(run, 'control')).length;
    expect(await run.executeUpdate('control', pause)).toEqual(first);
    expect(await rig.trace(run, 'control')).toHaveLength(traced);
    await run.cancel();
  });

  test('a deadline goes on, an edit starts from what was done, and a pause holds', async () => {
    const { run, digest: first } = await rig.startAsked(
      planOf(combine('UNION', tree(16), task('which', {})), { answerDeadline: '1h' }),
    );
    const part = { kind: 'approve-part', digest: first, by: 'operator', nodes: ['node_31', 'node_32'] };
    expect(await rig.say(run, 'decide', part)).toMatch(/still to be approved: 1/);
    await rig.until(run, ({ counts }) => counts.succeeded === 31 && counts.waiting === 1);
    const asked = await rig.opened(run, ({ kind }) => kind === 'question');
    for (let n = await historiesOf(run); (await historiesOf(run)) <= n;) {
      await run.signal('control', {});
      await rig.until(run, () => true);
    }
    expect((await rig.open(run))[1]).toEqual(asked);
    await run.signal('control', { action: 'pause', by: 'operator' });
    const { digest } = await rig.until(run, ({ paused }) => paused === true);
    const edited = combine('UNION', tree(16), idsOf('last'));
    expect(await rig.say(run, 'decide', { kind: 'edit', digest, by: 'operator', plan: edited })).toMatch(
      /revision 2 is open.*31 of its 33 nodes are unchanged/,
    );
    await rig.until(run, ({ revision, paused }) => revision === 2 && paused === true);
    await rig.approve(run);
    await rig.say(run, 'control', { action: 'resume', by: 'operator' });
    expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 17 }, revision: 2 });
    // node_32 was the question, and is another node now.
    const { node_32: _, ...begun } = rig.begun(run);
    expect(Math.max(...Object.values(begun))).toBe(1);
  });

  test('a token that was signed before the change is still taken, and one that was heard before it is not', async () => {
    const { run, digest } = await signed.startAsked(planOf(tree(16)));
    const sign = (message: object) => signedTo(run, keys.privateKey, message);
    const [pause, resume, approve] = [
      await sign({ action: 'pause' }),
      await sign({ action: 'resume' }),
      await sign({ kind: 'approve', digest }),
    ];
    await signed.say(run, 'control', { token: pause });
    for (let n = 0; (await historiesOf(run)) < 2; n++) {
      await run.signal('control', { token: `x${n}` });
      await signed.until(run, () => true);
    }
    expect(await signed.say(run, 'control', { token: resume })).toBe('resumed');
    expect(await signed.say(run, 'control', { token: pause })).toBe('paused; what has begun goes on');
    expect((await signed.trace(run, 'control')).map(({ said }) => said?.action)).toEqual(['pause', 'resume']);
    expect(await signed.say(run, 'decide', { token: approve })).toBe('approved');
    expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 16 } });
  });
});

describe('between two histories', () => {
  test('cancellation reaches the run, and work under way hears it', async () => {
    const leaves = (n: number) => (n === 0 ? task('waits', { at: 'cancelled' }) : idsOf(`id${n}`));
    const run = await rig.start(planOf(tree(40, leaves), { approval: 'effects', concurrency: 5 }));
    await barrier.reached('cancelled');
    await run.cancel();
    await expect(run.result()).rejects.toMatchObject({ cause: { name: 'CancelledFailure' } });
    expect(await run.query<RunStatus>('status')).toMatchObject({ outcome: 'cancelled' });
  });

  test('effects happen once', async () => {
    const before = written.length;
    const steps = Array.from({ length: 30 }, (_, n) => ({
      context_key: `k${n}`,
      capability: 'once',
      task_objective: `write ${n}`,
      parameters: { value: `v${n}` },
    }));
    const run = await rig.startApproved({ plan: { goal: 'g', steps } });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    const now = written.slice(before);
    expect(now).toHaveLength(30);
    expect(new Set(now).size).toBe(30);
    expect(await historiesOf(run)).toBeGreaterThan(2);
  });
});

test('bad input a resume in the input of a run that goes on from nothing is refused', async () => {
  const run = await rig.start({ resume: { version: 1, snapshot: { text: '{}' } } });
  await expect(run.result()).rejects.toMatchObject({
    cause: { type: 'InvalidInput', message: expect.stringContaining('only a run that goes on has one') as string },
  });
});
