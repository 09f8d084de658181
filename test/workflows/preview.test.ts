/** A preview: people see what an effect would change, and it begins under no other state than they were shown. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CapabilityError, defineCapability } from '../../src/capabilities/index.ts';
import { createBarrier, waits } from '../support/capabilities.ts';
import { resetRun } from '../support/reset-run.ts';
import { createPlanClient } from '../../src/client/index.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
/** The ampere of each magnet, every write, and what goes wrong. */
const magnets = new Map<string, number>();
const ledger: string[] = [];
let away = 0;
let breaks = 0;
const input = z.object({ magnet: z.string(), to: z.number() });

const set = (name: string, effect: 'idempotent' | 'at-most-once') =>
  defineCapability({
    name,
    description: 'Sets the current of a magnet.',
    input,
    output: 'value',
    effect,
    ...(effect === 'idempotent' && { retry: { initialMs: 1 } }),
    async look({ arguments: { magnet, to } }) {
      if (away-- > 0) throw new Error('the gateway is away');
      const now = magnets.get(magnet) ?? 0;
      // oxlint-disable-next-line unicorn/no-thenable -- a text, which nothing awaits
      return { shows: [{ what: magnet, now: `${now} A`, then: `${to} A` }], state: now };
    },
    execute({ arguments: { magnet, to }, idempotencyKey }) {
      magnets.set(magnet, to);
      ledger.push(`${magnet} ${to} ${idempotencyKey}`);
      if (breaks-- > 0) throw new CapabilityError('RETRIABLE', 'the line went dead');
      return to;
    },
  });

/** It only warns. */
const warn = defineCapability({
  ...{ name: 'warn', description: 'Warns.', input, output: 'value', effect: 'idempotent' },
  look: () => (away-- > 0 ? Promise.reject(new Error('the gateway is away')) : Promise.resolve([])),
  execute: ({ arguments: { magnet, to } }) => (ledger.push(`${magnet} ${to}`), to),
});

const rig = await sharedRig({
  capabilities: [waits(barrier), set('set', 'idempotent'), set('once', 'at-most-once'), warn],
});

const plan = (capability: string, magnet: string, at: string) => ({
  plan: {
    goal: 'Steer the beam',
    steps: [
      { context_key: 'ready', capability: 'waits', task_objective: 'Wait', parameters: { at } },
      { context_key: 'steer', capability, task_objective: 'Steer', parameters: { magnet, to: 46 } },
    ],
  },
});
const writesTo = (magnet: string) => ledger.filter((line) => line.startsWith(`${magnet} `));

describe.each(['set', 'once'])('the preview of %s', (capability) => {
  test('is shown, and a state that changes after the yes asks again with both', async () => {
    const magnet = `moved-${capability}`;
    magnets.set(magnet, 43.9);
    const { run, digest } = await rig.startAsked(plan(capability, magnet, magnet));
    expect((await rig.open(run))[0]?.effects).toMatchObject([{ shows: [`${magnet} 43.9 A -> 46 A`] }]);
    await rig.approve(run);
    magnets.set(magnet, 41);
    barrier.open(magnet);
    const again = await rig.opened(run, ({ warning }) => warning?.includes('people were shown') === true);
    expect(again.warning).toContain(`${magnet} 41 A -> 46 A; people were shown ${magnet} 43.9 A -> 46 A`);
    expect(again.send.input).toMatchObject({ asked: 1 });
    const decide = (more: object) => rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator', ...more });
    expect(await decide({})).toContain('what was shown before');
    expect(await decide({ asked: 2 })).toContain('name "asked": 1');
    expect(writesTo(magnet)).toEqual([]);
    expect(await decide({ asked: 1 })).toBe('approved');
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(writesTo(magnet)).toHaveLength(1);
    // The decisions are heard again; the effect has happened, and is not looked at.
    const reset = await resetRun(rig, run);
    expect(await reset.result()).toMatchObject({ outcome: 'done' });
    expect((await rig.open(reset)).length).toBe(0);
    const options = { reuse: run.workflowId, approval: { rules: [{ minCost: 99 }] } };
    expect(await (await rig.start({ ...plan(capability, magnet, magnet), options })).result()).toMatchObject({
      outcome: 'done',
    });
    expect(writesTo(magnet)).toHaveLength(1);
  });

  test('that no rule asks about goes into the trace, and the effect begins', async () => {
    const magnet = `free-${capability}`;
    const options = { approval: { rules: [{ minCost: 99 }] } };
    const run = await rig.start({ ...plan(capability, magnet, magnet), options });
    await rig.until(run, ({ counts }) => counts.running === 1);
    magnets.set(magnet, 7);
    barrier.open(magnet);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(JSON.stringify(await rig.trace(run, 'held'))).toContain(`${magnet} 7 A -> 46 A`);
    expect(writesTo(magnet)).toHaveLength(1);
  });

  test('that cannot be seen keeps the node waiting, and the effect begins once it can', async () => {
    const magnet = `blind-${capability}`;
    const run = await rig.startApproved(plan(capability, magnet, magnet));
    away = 3;
    barrier.open(magnet);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(JSON.stringify(await rig.trace(run, 'node'))).toContain('the gateway is away');
    expect(writesTo(magnet)).toHaveLength(1);
  });
});

test('an effect whose look failed when it was compiled is looked at before it begins, and asks with what is seen', async () => {
  away = 1;
  const { run, digest } = await rig.startAsked(plan('set', 'late', 'late'));
  expect((await rig.open(run))[0]?.effects).toMatchObject([{ shows: ['could not be looked at'] }]);
  await rig.approve(run);
  barrier.open('late');
  const again = await rig.opened(run, ({ effects }) => effects?.[0]?.shows?.[0] === 'late 0 A -> 46 A');
  expect(writesTo('late')).toEqual([]);
  const { asked } = again.send.input;
  expect(await rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator', asked })).toBe('approved');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});

test('a look that failed when it was compiled and only warns asks nobody again', async () => {
  away = 1;
  const run = await rig.startApproved(plan('warn', 'warned', 'warned'));
  barrier.open('warned');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(writesTo('warned')).toHaveLength(1);
});

test('runs of one plan that show other states are no group of the inbox', async () => {
  const { client, store, taskQueue } = rig;
  const starts: string[] = [];
  let shared = '';
  for (const now of [43.9, 43.9, 0]) {
    magnets.set('alike', now);
    const { run, digest } = await rig.startAsked(plan('set', 'alike', 'alike'));
    starts.push(run.workflowId);
    shared = digest;
  }
  const plans = createPlanClient({ client, store, taskQueue });
  const { groups } = await plans.inbox({ plan: shared });
  const ids = groups.map(({ runs }) => runs.map(({ workflowId }) => workflowId));
  expect(ids).toEqual([starts.slice(0, 2), starts.slice(2)]);
  for (const id of starts) await client.workflow.getHandle(id).terminate();
});

test('an effect that has begun is not looked at again', async () => {
  const run = await rig.startApproved(plan('set', 'begun', 'begun'));
  breaks = 1;
  barrier.open('begun');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(new Set(writesTo('begun')).size).toBe(1);
  expect(writesTo('begun')).toHaveLength(2);
});
