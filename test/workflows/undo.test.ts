/** Undo is a plan: the inverses of what a closed run did, each claimed once in all runs that undo it. */

import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { WorkflowHandle } from '@temporalio/client';
import { CapabilityError, NotApplied, type RoundSurroundings } from '../../src/capabilities/index.ts';
import { definePolicy, stagesOf } from '../../src/capabilities/policy/index.ts';
import { createRegistry, type CapabilityRegistry } from '../../src/capabilities/builtin/index.ts';
import { perform, type Plans } from '../../src/operations/index.ts';
import type { StoredPlan } from '../../src/plan/index.ts';
import type { NodesPage, RunResult } from '../../src/protocol/index.ts';
import { createBarrier, ids, tool } from '../support/capabilities.ts';
import { anywhere } from '../support/anywhere.ts';
import { resetRun } from '../support/reset-run.ts';
import { plansOf, sharedRig } from '../support/rig.ts';

/** What stands in the world, and every call that changed it. */
const world = { booked: new Set<string>(), dial: 0, calls: [] as string[] };
let barrier = createBarrier();
/** What the next calls do in place of their work, by call. */
const breaks = new Map<string, 'NotApplied' | 'CRITICAL' | 'after' | 'wait'>();

async function change(call: string, signal: AbortSignal, work: () => void) {
  const fault = breaks.get(call);
  breaks.delete(call);
  if (fault === 'wait') await barrier.wait(call, signal);
  if (fault === 'NotApplied') throw new NotApplied(`${call} is closed`);
  if (fault === 'CRITICAL') throw new CapabilityError('CRITICAL', `${call} is broken`);
  world.calls.push(call);
  work();
  if (fault === 'after') throw new CapabilityError('CRITICAL', `the line of ${call} broke`);
}

const seat = z.strictObject({ seat: z.string() });
const call = (capability: string, args: object) => ({ capability, arguments: args as Record<string, string> });
const book = tool(
  { name: 'book', inverse: ({ arguments: { seat: one } }) => call('unbook', { seat: one }) },
  'at-most-once',
  'value',
  seat,
  async ({ arguments: { seat: one }, signal }) => {
    await change(`book ${one}`, signal, () => world.booked.add(one));
    return { seat: one };
  },
);
const unbook = tool(
  { name: 'unbook', inverse: ({ arguments: { seat: one } }) => call('book', { seat: one }) },
  'at-most-once',
  'value',
  seat,
  async ({ arguments: { seat: one }, signal }) => {
    await change(`unbook ${one}`, signal, () => world.booked.delete(one));
    return { seat: one };
  },
);
const dial = tool(
  {
    name: 'dial',
    inverse: (_, result) => ({ capability: 'dial', arguments: { to: (result as { was: number }).was } }),
  },
  'idempotent',
  'value',
  z.strictObject({ to: z.number() }),
  async ({ arguments: { to }, signal }) => {
    const was = world.dial;
    await change(`dial ${to}`, signal, () => (world.dial = to));
    return { was };
  },
);
const post = tool(
  'post',
  'at-most-once',
  'value',
  z.strictObject({ to: z.string() }),
  async ({ arguments: { to }, signal }) => {
    await change(`post ${to}`, signal, () => undefined);
    return { to };
  },
);

const page = tool({ name: 'page', untrusted: 'web page' }, 'read', 'value', z.strictObject({}), () => 'A1');

const ALL = [ids, book, unbook, dial, post, page];

type Decision = { readonly action: 'book'; readonly seat: string } | { readonly action: 'finish' };
/** Books the seats that the goal names, one a round. */
const policy = definePolicy<object, Decision, RoundSurroundings>({
  ...{ name: 'seats', initial: () => ({}) },
  stages: [
    stagesOf<object, Decision, RoundSurroundings>().decide({
      name: 'next',
      run: (_, { task, round }) => {
        const next = task.goal.split(' ')[round];
        return { decision: next === undefined ? { action: 'finish' } : { action: 'book', seat: next } };
      },
    }),
  ],
  actions: {
    book: { dispatch: (to) => ({ is: 'capability', name: 'book', arguments: { seat: to.seat }, objective: 'Book' }) },
    finish: { ends: true, dispatch: () => ({ is: 'finish', answer: 'booked' }) },
  },
});
const rig = await sharedRig({ capabilities: ALL, policy });

beforeEach(() => {
  world.booked.clear();
  Object.assign(world, { dial: 0, calls: [] });
  breaks.clear();
  barrier = createBarrier();
});

const step = (key: string, capability: string, parameters: object) => ({
  ...{ context_key: key, capability, task_objective: `Do ${key}`, parameters },
});
const TRIP = {
  goal: 'Book the trip',
  steps: [
    step('first', 'book', { seat: 'A1' }),
    step('turn', 'dial', { to: 5 }),
    step('second', 'book', { seat: 'B2' }),
    step('letter', 'post', { to: 'guest' }),
    step('report', 'respond', {}),
  ],
};

function plansWith(registry: CapabilityRegistry = rig.registry) {
  const plans = plansOf(rig);
  const session = { plans, client: rig.client, results: rig.store, namespace: 'default' };
  return {
    typed: (command: string) => `planwright ${command}`,
    project: () => Promise.resolve({ openRegistry: () => Promise.resolve(registry) }),
    session: () => Promise.resolve(session),
    run: async (name: string) => ({ ...session, run: await plans.find(name) }),
  } as unknown as Plans;
}

const undo = (run: { readonly workflowId: string }, registry?: CapabilityRegistry) =>
  perform('undo', plansWith(registry), { workflowId: run.workflowId, by: 'operator' });

async function trip(plan: object = TRIP, options: object = {}) {
  const run = await rig.startApproved({ plan, options });
  return { run, result: (await run.result()) as RunResult };
}

/** Undoes what a run did, with everything approved. */
async function undone(run: { readonly workflowId: string }) {
  const { workflowId, ...found } = await undo(run);
  const handle = rig.client.workflow.getHandle(workflowId);
  await rig.approve(handle);
  return { run: handle, ...found, end: await handle.result().catch((error: Error) => error) };
}

async function nodesOf(run: WorkflowHandle) {
  return (await run.query<NodesPage>('nodes')).nodes;
}

describe('a run that is undone', () => {
  test('is undone with values that stay untrusted if they were', async () => {
    const seats = [step('page', 'page', {}), step('first', 'book', { seat: 'result_from_step_page' })];
    const { run } = await trip({ goal: 'Book the trip', steps: [...seats, step('own', 'book', { seat: 'B2' })] });
    const { workflowId } = await undo(run);
    const item = await rig.opened(rig.client.workflow.getHandle(workflowId), ({ kind }) => kind === 'approval');
    expect(item.effects?.map(({ untrusted }) => untrusted)).toEqual([
      undefined,
      [`an input comes from node_2 of run ${run.workflowId} (an untrusted result)`],
    ]);
  });

  test('what has no inverse is named, the rest is undone from the last to the first, and the world is as before', async () => {
    const { run } = await trip();
    const calls = world.calls.length;
    const first = await undo(run);
    expect(first.left).toMatchObject([{ node: 'node_4', reason: 'post has no inverse' }]);
    // Nothing happens before the approval.
    expect(world.calls).toHaveLength(calls);
    const handle = rig.client.workflow.getHandle(first.workflowId);
    const { text } = await rig.opened(handle, ({ kind }) => kind === 'approval');
    expect(text).toContain(`it stays as it is: node_4 (post has no inverse)`);
    await rig.approve(handle);
    await handle.result();
    expect(world.calls.slice(calls)).toEqual(['unbook B2', 'dial 0', 'unbook A1']);
    expect([...world.booked, world.dial]).toEqual([0]);
    // A second one has nothing left, and says who did what.
    await expect(undo(run)).rejects.toMatchObject({
      code: 'REFUSED',
      details: { undone: [{ node: 'node_3' }, { node: 'node_2' }, { node: 'node_1' }], left: [{ node: 'node_4' }] },
    });
  });

  test('an undo of the undo does everything again, and the undo then says who undid it', async () => {
    const { run } = await trip();
    const back = await undone(run);
    world.calls = [];
    const again = await undone(back.run);
    expect(again.end).toMatchObject({ outcome: 'done' });
    expect(world.calls).toEqual(['book A1', 'dial 5', 'book B2']);
    expect([...world.booked, world.dial]).toEqual(['A1', 'B2', 5]);
    await expect(undo(back.run)).rejects.toThrow(/nothing of run .* is left to undo: node_3 .*has undone it/);
  });

  test('a rejected undo changes nothing, and another one undoes it all', async () => {
    const { run } = await trip();
    world.calls = [];
    const { workflowId, digest } = await undo(run);
    const handle = rig.client.workflow.getHandle(workflowId);
    await rig.opened(handle, ({ kind }) => kind === 'approval');
    await rig.say(handle, 'decide', { kind: 'reject', digest, by: 'operator' });
    expect(await handle.result()).toMatchObject({ outcome: 'rejected' });
    expect(world.calls).toEqual([]);
    expect((await undone(run)).steps).toBe(3);
    expect([...world.booked, world.dial]).toEqual([0]);
  });

  test('what a run took over from another one is undone with it, and once', async () => {
    breaks.set('dial 5', 'CRITICAL');
    const broken = await rig.startApproved({ plan: TRIP });
    await broken.result().catch(() => undefined);
    const { run } = await trip(TRIP, { reuse: broken.workflowId });
    world.calls = [];
    const back = await undone(run);
    expect(world.calls).toEqual(['unbook B2', 'dial 0', 'unbook A1']);
    await expect(undo(broken)).rejects.toThrow(new RegExp(`node_1 .*run ${back.run.workflowId}@.* has undone it`));
  });
});

describe('what failed, and what the open plan does not have', () => {
  const withoutDial = { ...TRIP, steps: TRIP.steps.filter((one) => one.capability !== 'dial') };
  /** Approves nodes up to the dial, since nobody edits a plan that is approved as a whole. */
  const startDial = async (options: object = {}) => {
    const { run, digest } = await rig.startAsked({ plan: TRIP, options });
    await rig.say(run, 'decide', { kind: 'approve-part', nodes: ['node_1', 'node_2'], digest, by: 'operator' });
    return { run, digest };
  };
  const edit = async (run: WorkflowHandle, digest: string) => {
    const said = await rig.say(run, 'decide', { kind: 'edit', digest, by: 'editor', plan: withoutDial });
    expect(said).toContain('revision 2');
    await rig.approve(run);
    barrier.open('dial 5');
    await run.result();
  };

  test('an idempotent effect that failed stays, although an edit removed its node', async () => {
    breaks.set('dial 5', 'after');
    const { run, digest } = await startDial({ onFailure: 'ask' });
    await rig.opened(run, ({ kind }) => kind === 'failed');
    await edit(run, digest);
    const { left } = await undo(run);
    const reason = 'Do turn has no result; look whether it happened';
    expect(left).toMatchObject([{ node: 'revision 1, node_2', reason }, { reason: 'post has no inverse' }]);
  });

  test('an effect that went on after its node was removed is undone, and not said to be unknown', async () => {
    breaks.set('dial 5', 'wait');
    const { run, digest } = await startDial();
    await barrier.reached('dial 5');
    await edit(run, digest);
    const back = await undone(run);
    expect(back.left).toMatchObject([{ reason: 'post has no inverse' }]);
    expect([...world.booked, world.dial]).toEqual([0]);
  });

  test('an at-most-once effect that said it had not happened is not listed', async () => {
    breaks.set('post guest', 'NotApplied');
    const { run } = await trip(TRIP, { onFailure: 'partial' });
    expect((await undo(run)).left).toEqual([]);
  });
});

test('what the rounds of a loop did is undone, the last first', async () => {
  const run = await rig.start({
    goal: 'Book A1 B2 C3',
    options: { mode: 'reactive', approval: { rules: [{ capability: 'post' }] } },
  });
  await run.result();
  expect(world.calls).toEqual(['book A1', 'book B2', 'book C3']);
  world.calls = [];
  await undone(run);
  expect(world.calls).toEqual(['unbook C3', 'unbook B2', 'unbook A1']);
  expect([...world.booked]).toEqual([]);
});

describe('an inverse that fails half-way', () => {
  test.each([
    ['had no effect', 'unbook A1', 'NotApplied', ['unbook A1'], 2],
    ['may be repeated', 'dial 0', 'after', ['dial 0', 'unbook A1'], 1],
  ] as const)(
    '%s: a second undo carries out what is left, under no new question',
    async (_, what, fault, left, done) => {
      const { run } = await trip();
      breaks.set(what, fault);
      const first = await undone(run);
      expect(first.end).toBeInstanceOf(Error);
      world.calls = [];
      const second = await undone(run);
      expect(second.undone).toHaveLength(done);
      expect(second.end).toMatchObject({ outcome: 'done' });
      expect(world.calls).toEqual(left);
      expect([...world.booked, world.dial]).toEqual([0]);
    },
  );

  test.each([
    ['succeeded', { action: 'resolve', outcome: 'succeeded', value: {} }, ['dial 0', 'unbook A1']],
    ['not applied', { action: 'retry-node' }, ['unbook B2', 'dial 0', 'unbook A1']],
  ])('nobody knows whether it happened: the second undo asks, and takes the word %s', async (_, word, calls) => {
    const { run } = await trip();
    breaks.set('unbook B2', 'after');
    const first = await undo(run);
    const handle = rig.client.workflow.getHandle(first.workflowId);
    await rig.approve(handle);
    await rig.opened(handle, ({ kind }) => kind === 'uncertain');
    // While the first one is open, it alone is asked.
    expect((await undo(run)).undone).toMatchObject([
      { node: 'node_3', reason: expect.stringContaining('is undoing it') as string },
    ]);
    await rig.say(handle, 'control', { action: 'kill', by: 'operator', comment: 'asked elsewhere' });
    await handle.result();
    world.calls = [];
    const second = await undo(run);
    expect(second.steps).toBe(3);
    const other = rig.client.workflow.getHandle(second.workflowId);
    await rig.approve(other);
    await rig.opened(other, ({ kind }) => kind === 'uncertain');
    await rig.say(other, 'control', { node: 'node_1', by: 'operator', comment: 'looked', ...word });
    expect(await other.result()).toMatchObject({ outcome: 'done' });
    expect(world.calls).toEqual(calls);
    await expect(undo(run)).rejects.toThrow('is left to undo');
  });
});

describe('two undos of one run', () => {
  test.each(['unbook B2', 'dial 0'])('begin %s at the same moment: one does it, the other says so', async (what) => {
    const { run } = await trip();
    world.calls = [];
    breaks.set(what, 'wait');
    const both = [await undo(run), await undo(run)].map(({ workflowId }) => rig.client.workflow.getHandle(workflowId));
    await Promise.all(both.map((one) => rig.approve(one)));
    await barrier.reached(what);
    const waits = async () =>
      (await Promise.all(both.map(nodesOf))).flat().filter((node) => node.waits?.includes('is undoing'));
    await expect.poll(waits).toHaveLength(1);
    barrier.open(what);
    for (const one of both) expect(await one.result()).toMatchObject({ outcome: 'done' });
    expect(world.calls).toEqual(['unbook B2', 'dial 0', 'unbook A1']);
    const notes = (await Promise.all(both.map(nodesOf))).flat().flatMap((node) => node.notes ?? []);
    expect(notes.filter((note) => note.includes('has undone'))).toHaveLength(3);
  });

  test('a reset of an undo carries out nothing again', async () => {
    const { run } = await trip();
    const back = await undone(run);
    world.calls = [];
    const again = await resetRun(rig, back.run);
    expect(await again.result()).toMatchObject({ outcome: 'done' });
    expect(world.calls).toEqual([]);
  });
});

describe('an undo is refused', () => {
  test('while the run is open, and while an effect may have happened, with what settles it', async () => {
    breaks.set('book A1', 'after');
    const run = await rig.startApproved({ plan: TRIP });
    await rig.opened(run, ({ kind }) => kind === 'uncertain');
    await expect(undo(run)).rejects.toThrow(/1 effect may have happened: node_1 .*planwright resolve/);
    await rig.say(run, 'control', { action: 'kill', by: 'operator', comment: 'enough' });
    await run.result();
    await expect(undo(run)).rejects.toThrow(/1 effect may have happened: node_1 .*planwright run --reuse/);
    const open = await rig.start({ plan: TRIP });
    await rig.opened(open, ({ kind }) => kind === 'approval');
    await expect(undo(open)).rejects.toThrow(/is open.*planwright kill/);
  });

  test('where another version did it, or nothing was done', async () => {
    const { run } = await trip();
    world.calls = [];
    const other = createRegistry([ids, { ...book, version: '2' }, unbook, dial, post]);
    const found = await undo(run, other);
    const reason = 'it was done by "capability book@1 at-most-once", and here it is "capability book@2 at-most-once"';
    expect(found.left).toMatchObject([{ node: 'node_4' }, { node: 'node_3', reason }, { node: 'node_1', reason }]);
    expect(found.steps).toBe(1);
    const { run: idle } = await trip({ goal: 'Look', steps: [step('look', 'ids', { ids: ['a'] })] });
    await expect(undo(idle)).rejects.toThrow('it did nothing but read');
  });

  test.each<readonly [string, () => unknown, RegExp]>([
    [
      'names a capability that the project lacks',
      () => call('rebook', {}),
      /names "rebook", which this project lacks; it has .*book/,
    ],
    ['names a read', () => call('ids', { ids: [] }), /names "ids", which only reads/],
    ['gives other arguments', () => call('unbook', { chair: 'A1' }), /gives "unbook" other arguments than it takes/],
    ['is no call', () => 'unbook', /returned no call/],
    [
      'throws',
      () => {
        throw new Error('no seat');
      },
      /threw: no seat/,
    ],
    ['names a result', () => call('unbook', { seat: 'result_from_step_1' }), /the name of a result/],
  ])('where an inverse %s', async (_, inverse, problem) => {
    const { run } = await trip();
    const other = createRegistry([ids, { ...book, inverse: inverse as never }, unbook, dial, post]);
    await expect(undo(run, other)).rejects.toMatchObject({
      code: 'REFUSED',
      message: expect.stringMatching(problem) as string,
    });
  });

  test('by the worker, for a step that is not the inverse of what it names; nothing is claimed', async () => {
    const { run } = await trip();
    world.calls = [];
    const { workflowId } = await undo(run);
    const handle = rig.client.workflow.getHandle(workflowId);
    await rig.opened(handle, ({ kind }) => kind === 'approval');
    const { ref } = await handle.query<{ ref: string }>('plan');
    const { tasks } = JSON.parse(Buffer.from(await anywhere(rig.store).get(ref)).toString()) as StoredPlan;
    for (const [key, more] of Object.entries({
      other: { capability: 'post', parameters: { to: 'me' } },
      same: { capability: 'unbook', parameters: { seat: 'C3' } },
    })) {
      const plan = {
        goal: 'Be first',
        steps: [{ ...step(key, 'x', {}), ...more, undoes: tasks[0]!.undoes }, step('report', 'respond', {})],
      };
      const forged = await rig.startApproved({ plan });
      await expect(forged.result()).rejects.toThrow();
      expect((await nodesOf(forged))[0]!.failure?.message).toMatch(/it does not undo node_3 .*its inverse is/);
    }
    expect(world.calls).toEqual([]);
    await undone(run);
    expect(world.calls).toHaveLength(3);
    // Nor does such a step take over the result of the real one.
    const { undoes } = tasks[0]!;
    const wrong = [step('late', 'post', { to: 'me' }), step('look', 'ids', { ids: ['a'] })];
    const steps = [...wrong.map((one) => ({ ...one, undoes })), step('report', 'respond', {})];
    const late = await rig.startApproved({ plan: { goal: 'Be second', steps } });
    await expect.poll(() => rig.statuses(late), { timeout: 20_000 }).toEqual(['failed', 'failed', 'skipped']);
  });
});
