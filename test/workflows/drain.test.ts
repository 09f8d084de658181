/** Work under way holds no run: it goes on in a new history, is heard, and carries out each effect once and each read to its end. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { Effect } from '../../src/plan/index.ts';
import { NEW_HISTORY } from '../../src/protocol/index.ts';
import { createBarrier, tool, waits } from '../support/capabilities.ts';
import { handOver, SHORT_HISTORIES } from '../support/hand-over.ts';
import { planOf, task } from '../support/plans.ts';
import { ownRig, sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
/** The names under which something began, was asked to stop by the server, and was stopped. */
const [began, asked, stopped]: string[][] = [[], [], []];
const moves = (effect: Effect, obeys: boolean) =>
  tool(`${effect}-${obeys ? 'obeys' : 'goes-on'}`, effect, 'text', z.object({ at: z.string() }), async (given) => {
    const { at } = given.arguments;
    began?.push(at);
    given.signal.addEventListener('abort', () => stopped?.push(at));
    Context.current().cancelled.catch(() => asked?.push(at));
    await barrier.wait(at, obeys ? given.signal : new AbortController().signal);
    return 'moved';
  });
const flaky = tool(
  { name: 'flaky', retry: { attempts: 2, initialMs: 3_600_000 } },
  'read',
  'text',
  z.object({ at: z.string() }),
  ({ arguments: { at } }) => {
    began?.push(at);
    throw new Error('no route to host');
  },
);
/** Lasts so long in each attempt. */
const lasts = tool('lasts', 'read', 'text', z.object({ at: z.string(), ms: z.number() }), async (given) => {
  const { at, ms } = given.arguments;
  began?.push(at);
  await sleep(ms, undefined, { signal: given.signal });
  return 'read';
});
const EFFECTS = ['read', 'idempotent', 'at-most-once'] as const;
const capabilities = [waits(barrier), flaky, lasts, ...EFFECTS.flatMap((one) => [moves(one, true), moves(one, false)])];
const rig = await sharedRig({ capabilities, budget: SHORT_HISTORIES });

let names = 0;
const newName = () => `drain-${++names}`;
const times = (list: string[] | undefined, at: string) => list?.filter((one) => one === at).length;

async function started(capability: string, here = rig) {
  const at = newName();
  const { workflowId } = await here.startApproved(planOf(task(capability, { at })));
  return { at, run: here.client.workflow.getHandle(workflowId) };
}

async function flood(run: WorkflowHandle, count = 45): Promise<void> {
  for (let n = 0; n < count; n += 1) await run.signal('control', { action: 'resume', by: 'operator' });
}

const wordOn = async (run: WorkflowHandle, work: number) =>
  (await run.query<{ words: readonly unknown[] }, [object]>('mayBegin', { work: [work] })).words[0];

const STOPPED = '%s is stopped, begins again in the next history, and ends';
test.each(['read-obeys', 'idempotent-goes-on'])(STOPPED, stoppedAndEnds);
test.each(['read-goes-on', 'idempotent-obeys'])(STOPPED, { tags: ['slow'] }, stoppedAndEnds);

async function stoppedAndEnds(capability: string): Promise<void> {
  const { at, run } = await started(capability);
  await expect.poll(() => times(began, at)).toBe(1);
  await handOver(run);
  await expect.poll(() => times(began, at)).toBe(2);
  barrier.open(at);
  expect(await run.result()).toMatchObject({ outcome: 'done' });
}

describe('an effect that has claimed', () => {
  test('is waited for, and its run goes on then', async () => {
    const { at, run } = await started('at-most-once-goes-on');
    await expect.poll(() => times(began, at)).toBe(1);
    const { runId } = await run.describe();
    await flood(run);
    await expect.poll(() => times(asked, at)).toBe(1);
    expect(await wordOn(run, 2)).toBe(NEW_HISTORY);
    expect((await run.describe()).runId).toBe(runId);
    barrier.open(at);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect([times(began, at), times(stopped, at)]).toEqual([1, 0]);
  });

  test('hears of a kill meanwhile', async () => {
    const { at, run } = await started('at-most-once-obeys');
    await expect.poll(() => times(began, at)).toBe(1);
    await flood(run);
    await expect.poll(() => times(asked, at)).toBe(1);
    expect(times(stopped, at)).toBe(0);
    await rig.say(run, 'control', { action: 'kill', by: 'operator', comment: 'enough' });
    expect(await run.result()).toMatchObject({ outcome: 'aborted' });
    expect(times(stopped, at)).toBe(1);
  });
});

test('an effect that no worker has taken goes along, and happens once', async () => {
  const here = await ownRig({ capabilities, budget: SHORT_HISTORIES, concurrentNodes: 1 });
  const { run: other } = await here.startAsked(planOf(task('at-most-once-goes-on', { at: 'queued' })));
  const { at, run: busy } = await started('read-goes-on', here);
  await expect.poll(() => times(began, at)).toBe(1);
  const run = here.client.workflow.getHandle(other.workflowId);
  await here.approve(run);
  await handOver(run);
  const { runId } = await run.describe();
  await here.say(run, 'control', { action: 'go-on', by: 'operator' });
  await expect.poll(async () => (await run.describe()).runId).not.toBe(runId);
  expect(times(began, 'queued')).toBe(0);
  for (const one of [at, 'queued']) barrier.open(one);
  await busy.result();
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(times(began, 'queued')).toBe(1);
});

test('a read that waits for its next attempt has one less in the next history', async () => {
  const { at, run } = await started('flaky');
  await expect.poll(() => times(began, at)).toBe(1);
  await handOver(run);
  await expect(run.result()).rejects.toMatchObject({ cause: { type: 'PlanFailed' } });
  expect(times(began, at)).toBe(2);
});

test('a read is stopped once for the number of events, and ends however many messages come', async () => {
  const budget = { soft: { events: 40, bytes: 2 ** 20 }, hard: { events: 10_000, bytes: 2 ** 22 } };
  const here = await ownRig({ capabilities, budget });
  const { at, run } = await started('read-obeys', here);
  await expect.poll(() => times(began, at)).toBe(1);
  await handOver(run);
  await expect.poll(() => times(began, at)).toBe(2);
  const { runId } = await run.describe();
  for (let n = 0; n < 3; n += 1) {
    await flood(run);
    await here.until(run, () => true);
  }
  expect(await wordOn(run, 2)).not.toBe(NEW_HISTORY);
  barrier.open(at);
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect([times(began, at), (await run.describe()).runId]).toEqual([2, runId]);
});

test('a kill does not wait for a read that goes on', async () => {
  const { at, run } = await started('read-goes-on');
  await expect.poll(() => times(began, at)).toBe(1);
  await rig.say(run, 'control', { action: 'kill', by: 'operator', comment: 'enough' });
  expect(await run.result()).toMatchObject({ outcome: 'aborted' });
  barrier.open(at);
});

test(
  'a read that lasts as long as twenty histories at this pace of messages is stopped once, and ends',
  { tags: ['slow'], timeout: 300_000 },
  async () => {
    const budget = { soft: { events: 40, bytes: 2 ** 20 }, hard: { events: 10_000, bytes: 2 ** 22 } };
    const here = await ownRig({ capabilities, budget });
    const at = newName();
    const { workflowId } = await here.startApproved(planOf(task('lasts', { at, ms: 40_000 })));
    const run = here.client.workflow.getHandle(workflowId);
    const pace = setInterval(() => void flood(run, 1).catch(() => undefined), 200);
    onTestFinished(() => clearInterval(pace));
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(times(began, at)).toBe(2);
  },
);

/** All that the server takes, and one more. */
async function exhaust(run: WorkflowHandle): Promise<void> {
  let sent = 0;
  const send = async () => {
    while (sent < 10_001) {
      sent += 1;
      // The last is refused unless the run has gone on.
      await run.signal('control', { action: 'resume', by: 'operator' }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: 50 }, send));
}

/** Ten times the limit: machines are slow. */
const HEARD_MS = 100_000;

test.each(['read-obeys', 'read-goes-on', 'idempotent-goes-on'])(
  'after as many signals as the server takes, a run with %s under way hears an approval, a pause and a kill',
  { tags: ['slow'], timeout: 900_000 },
  async (capability) => {
    const here = await ownRig({ capabilities });
    const [at, other] = [newName(), newName()];
    const steps = [at, other].map((name) => ({
      context_key: name,
      capability,
      task_objective: name,
      parameters: { at: name },
    }));
    const { run: asking, digest } = await here.startAsked({ plan: { goal: 'g', steps } });
    const run = here.client.workflow.getHandle(asking.workflowId);
    await here.say(run, 'decide', { kind: 'approve-part', digest, by: 'operator', nodes: ['node_1'] });
    await expect.poll(() => times(began, at)).toBe(1);
    await exhaust(run);
    const since = performance.now();
    await signalled(run, 'approve', { digest, by: 'operator' });
    await signalled(run, 'control', { action: 'pause', by: 'operator' });
    await signalled(run, 'control', { action: 'kill', by: 'operator', comment: 'enough' });
    // An effect that is under way is waited for.
    if (capability === 'idempotent-goes-on') barrier.open(at);
    expect(await run.result()).toMatchObject({ outcome: 'aborted' });
    expect(performance.now() - since).toBeLessThan(HEARD_MS);
    expect((await here.trace(run, 'decision')).at(-1)?.said?.kind).toBe('approve');
    expect((await here.trace(run, 'control')).map(({ said }) => said?.action)).toEqual(['pause', 'kill']);
    for (const name of [at, other]) barrier.open(name);
  },
);

/** Sends until the server takes it. */
async function signalled(run: WorkflowHandle, name: string, message: object): Promise<void> {
  await expect
    .poll(
      () =>
        run.signal(name, message).then(
          () => true,
          () => false,
        ),
      { timeout: HEARD_MS },
    )
    .toBe(true);
}
