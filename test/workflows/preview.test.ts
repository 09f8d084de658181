/** A preview: people see what an effect would change, and it begins under no other state than they were shown. */

import type { WorkflowHandle } from '@temporalio/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CapabilityError, defineCapability } from '../../src/capabilities/index.ts';
import { createBarrier, tool, waits } from '../support/capabilities.ts';
import { resetRun } from '../support/reset-run.ts';
import { createPlanClient } from '../../src/client/index.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
/** The ampere of each magnet, every write, and what goes wrong. */
const magnets = new Map<string, number>();
const ledger: string[] = [];
/** What each look at a magnet showed last, and what stood there when an effect began. */
const looks = new Map<string, string>();
const begins: [magnet: string, row: string | undefined][] = [];
let away = 0;
let gone: Error | undefined;
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
      if (gone !== undefined) throw gone;
      const now = magnets.get(magnet) ?? 0;
      looks.set(magnet, `${magnet} ${now} A -> ${to} A`);
      // oxlint-disable-next-line unicorn/no-thenable -- a text, which nothing awaits
      return { shows: [{ what: magnet, now: `${now} A`, then: `${to} A` }], state: now };
    },
    execute({ arguments: { magnet, to }, idempotencyKey }) {
      const line = `${magnet} ${to} ${idempotencyKey}`;
      if (!ledger.includes(line)) begins.push([magnet, looks.get(magnet)]);
      magnets.set(magnet, to);
      ledger.push(line);
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

const wanted = tool('wanted', 'read', 'value', z.object({ at: z.string() }), async ({ arguments: { at }, signal }) => {
  await barrier.wait(at, signal);
  return 46;
});

const rig = await sharedRig({
  capabilities: [waits(barrier), wanted, set('set', 'idempotent'), set('once', 'at-most-once'), warn],
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
/** The same, whose effect is given its value by the step before. */
const laterPlan = (capability: string, magnet: string, at: string) => ({
  plan: {
    goal: 'Steer the beam',
    steps: [
      { context_key: 'wanted', capability: 'wanted', task_objective: 'Wait', parameters: { at } },
      {
        ...{ context_key: 'steer', capability, task_objective: 'Steer' },
        parameters: { magnet, to: 'result_from_step_wanted' },
      },
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
    const { shown = '' } = again;
    expect(again.send.input).toMatchObject({ shown: shown.slice(0, 8) });
    const decide = (more: object) => rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator', ...more });
    expect(await decide({})).toContain('does not say what was shown');
    expect(await decide({ shown: 'aaaaaaaa' })).toContain(
      `(aaaaaaaa); look at the costs and states of the plan, and name "shown": "${shown.slice(0, 8)}"`,
    );
    expect(writesTo(magnet)).toEqual([]);
    expect(await decide({ shown: shown.slice(0, 8) })).toBe('approved');
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
  const { shown } = again;
  expect(await rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator', shown })).toBe('approved');
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
  const grouped = async () =>
    (await plans.inbox({ plan: shared })).groups.map(({ runs }) => runs.map(({ workflowId }) => workflowId));
  await expect.poll(grouped).toEqual([starts.slice(0, 2), starts.slice(2)]);
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

describe.each(['set', 'once'])('the preview of %s whose value comes from another step', (capability) => {
  const LATER = 'is looked at once its arguments are there';

  test('is shown once the value is there, before the effect, and asks again', async () => {
    const magnet = `later-${capability}`;
    magnets.set(magnet, 43.9);
    const { run, digest } = await rig.startAsked(laterPlan(capability, magnet, magnet));
    expect((await rig.open(run))[0]?.effects).toMatchObject([{ shows: [LATER] }]);
    await rig.approve(run);
    barrier.open(magnet);
    const again = await rig.opened(run, ({ effects }) => effects?.[0]?.shows?.[0] === `${magnet} 43.9 A -> 46 A`);
    expect(again.warning).toContain(`what it changes now: ${magnet} 43.9 A -> 46 A`);
    expect([again.warning?.includes('people were shown'), writesTo(magnet)]).toEqual([false, []]);
    const approval = { kind: 'approve', digest, by: 'operator', shown: again.shown };
    expect(await rig.say(run, 'decide', approval)).toBe('approved');
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(writesTo(magnet)).toHaveLength(1);
  });

  test('goes into the trace if no rule asks about it, and waits while nobody can look', async () => {
    const magnet = `later-free-${capability}`;
    const options = { approval: { rules: [{ minCost: 99 }] } };
    const run = await rig.start({ ...laterPlan(capability, magnet, magnet), options });
    await rig.until(run, ({ counts }) => counts.running === 1);
    away = 2;
    barrier.open(magnet);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(JSON.stringify(await rig.trace(run, 'held'))).toContain(`${magnet} 0 A -> 46 A`);
    expect(JSON.stringify(await rig.trace(run, 'node'))).toContain('the gateway is away');
    expect(writesTo(magnet)).toHaveLength(1);
  });

  test('that says that it would fail lets it fail before it begins', async () => {
    const magnet = `later-gone-${capability}`;
    const options = { approval: { rules: [{ minCost: 99 }] } };
    const run = await rig.start({ ...laterPlan(capability, magnet, magnet), options });
    await rig.until(run, ({ counts }) => counts.running === 1);
    gone = new CapabilityError('CRITICAL', 'there is no such magnet');
    barrier.open(magnet);
    await expect(run.result()).rejects.toThrow();
    gone = undefined;
    expect(await rig.statuses(run)).toEqual(['succeeded', 'failed', 'skipped']);
    expect(writesTo(magnet)).toEqual([]);
  });
});

/** Approves what is open, as a page or a command does. @returns the rows that it was shown with */
async function approveShown(run: WorkflowHandle, more: object = {}): Promise<readonly string[]> {
  const item = (await rig.open(run)).find(({ send }) => send.name === 'approve');
  if (item === undefined) return [];
  const { digest, shown, effects = [] } = item;
  const said = { kind: 'approve', digest, by: 'operator', ...(shown !== undefined && { shown }), ...more };
  const isTaken = (await rig.say(run, 'decide', said)).startsWith('approved');
  return isTaken ? effects.flatMap(({ shows = [] }) => shows) : [];
}

/** Approves whatever the run still asks, until it ends. @returns the rows that it was shown with */
async function approveToEnd(run: WorkflowHandle): Promise<readonly string[]> {
  const rows: string[] = [];
  const ended = run.result().then(() => true);
  const tick = () => new Promise<false>((resolve) => setTimeout(resolve, 20, false));
  while (!(await Promise.race([ended, tick()]))) rows.push(...(await approveShown(run)));
  return rows;
}

test('no approved effect begins under a state other than the one that was shown', { timeout: 300_000 }, async () => {
  let runs = 0;
  const act = fc.constantFrom('move', 'approve', 'stale', 'away', 'break', 'open');
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 8 }), fc.boolean(), fc.boolean(), async (acts, isLater, isOnce) => {
      const magnet = `any-${++runs}`;
      const capability = isOnce ? 'once' : 'set';
      const { run } = await rig.startAsked((isLater ? laterPlan : plan)(capability, magnet, magnet));
      const shown = new Set<string>();
      const does: Record<string, () => unknown> = {
        move: () => magnets.set(magnet, (magnets.get(magnet) ?? 0) + 1),
        approve: async () => (await approveShown(run)).forEach((row) => shown.add(row)),
        stale: async () => expect(await approveShown(run, { shown: 'aaaaaaaa' })).toEqual([]),
        away: () => (away = 1),
        break: () => (breaks = isOnce ? 0 : 1),
        open: () => barrier.open(magnet),
      };
      for (const one of acts) await does[one]?.();
      barrier.open(magnet);
      for (const row of await approveToEnd(run)) shown.add(row);
      [away, breaks] = [0, 0];
      const begun = begins.filter(([of]) => of === magnet);
      expect(begun).toHaveLength(1);
      expect([...shown]).toContain(begun[0]?.[1]);
      expect(new Set(writesTo(magnet)).size).toBe(1);
    }),
    { numRuns: 6 },
  );
});

test.each(['set', 'once'])(
  'an effect of %s that has changed what it looks at happens once: another node is edited, the run is reset to before its compile, and reused',
  async (capability) => {
    const magnet = `again-${capability}`;
    const [steer, ready] = plan(capability, magnet, magnet).plan.steps.toReversed();
    const other = (to: number) => ({
      ...{
        context_key: 'other',
        capability: 'warn',
        task_objective: 'Warn',
        parameters: { magnet: `${magnet}-2`, to },
      },
    });
    const document = (to: number) => ({ goal: 'Steer the beam', steps: [steer, ready, other(to)] });
    const { run, digest } = await rig.startAsked({ plan: document(1) });
    expect(await approveShown(run, { kind: 'approve-part', nodes: ['node_1'] })).toHaveLength(1);
    await expect.poll(() => writesTo(magnet)).toHaveLength(1);
    expect(await rig.say(run, 'decide', { kind: 'edit', digest, by: 'operator', plan: document(2) })).toContain(
      'revision 2',
    );
    barrier.open(magnet);
    await approveToEnd(run);
    const reset = await resetRun(rig, run);
    await approveToEnd(reset);
    expect((await rig.statuses(reset)).slice(0, 3)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    const options = { reuse: run.workflowId, approval: { rules: [{ minCost: 99 }] } };
    expect(await (await rig.start({ plan: document(3), options })).result()).toMatchObject({ outcome: 'done' });
    expect(writesTo(magnet)).toHaveLength(1);
  },
);
