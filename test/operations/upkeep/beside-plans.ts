/** `store gc` in a loop beside plans that are at work and wait in turns; whenever all of them wait, everything in the store becomes old. */

import { setTimeout as pause } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { expect, inject, onTestFinished } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../../src/plan/algebra/index.ts';
import { defineCapability } from '../../../src/capabilities/index.ts';
import { checkStore } from '../../../src/operations/upkeep/read-store.ts';
import { collect } from '../../../src/operations/upkeep/collect.ts';
import type { OpenItem, RunResult } from '../../../src/protocol/index.ts';
import { resultsIn, type Store } from '../../../src/store/index.ts';
import type { StoreKind } from '../../store/stores.ts';
import { writes, tool } from '../../support/capabilities.ts';
import { openNamespace } from '../../support/namespaces.ts';
import { combine, planOf, task, treeOver } from '../../support/plans.ts';
import { openRig, type Rig } from '../../support/rig.ts';

/** Asks, and then gives its inputs. */
const asks = defineCapability({
  name: 'asks',
  description: 'Asks before anything goes on.',
  kind: 'wait',
  input: z.object({ round: z.number() }),
  output: 'set',
  effect: 'read',
  execute: () => ({ text: 'go on?' }),
});
/** Its result is that of every other plan and round, so that each is stored again and again. */
const shared = tool(
  'shared',
  'read',
  'set',
  z.object({ of: z.number(), plan: z.number(), round: z.number() }),
  ({ arguments: { of } }) => createSet([{ id: `shared ${of}` }]),
);

/** A document has what several take once for each: the one of a plan grows by this with every round. */
const LEAVES = 3;

export async function collectBesidePlans(kind: StoreKind, plans: number, rounds: number): Promise<void> {
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const namespace = await openNamespace(connection);
  const { place, remove } = await kind.make();
  onTestFinished(remove);
  const store = kind.open(place);
  const written: string[] = [];
  const rig = await openRig({
    namespace,
    store,
    capabilities: [asks, shared, writes('pays', 'at-most-once', written)],
  });
  onTestFinished(() => rig.close());
  const client = new Client({ connection, namespace });

  /** A question for each round, and behind it reads that all plans have alike; an effect at the end. */
  const planNo = (plan: number) => {
    let last: object | undefined;
    for (let round = 0; round < rounds; round += 1) {
      const ask = task('asks', { round }, last === undefined ? {} : { input: last });
      const reads = Array.from({ length: LEAVES }, (_, of) => task('shared', { of, plan, round }, { input: ask }));
      last = treeOver(reads);
    }
    return planOf(combine('UNION', last!, task('pays', { value: `plan ${plan}` }, { input: last })));
  };
  const runs = await Promise.all(Array.from({ length: plans }, (_, plan) => rig.start(planNo(plan))));
  // In turn, as below: all that ask at once would keep their worker from its work.
  for (const run of runs) await rig.approve(run);

  // As that of another process: one, since each has connections of its own.
  const upkeep = kind.open(place);
  const state = { isOver: false, cleared: 0 };
  const clearing = (async () => {
    while (!state.isOver) {
      await collect(upkeep, [{ client, namespace, address: inject('address') }], {
        remove: true,
        gone: ['gone'],
      });
      state.cleared += 1;
    }
  })();
  try {
    for (let round = 0; round < rounds; round += 1) {
      const items: OpenItem[] = [];
      for (const run of runs) items.push(await questionOf(rig, run));
      await litter(upkeep, round);
      await kind.age?.(place, 14);
      const before = state.cleared;
      await Promise.all(
        runs.map((run, at) => rig.say(run, 'answer', { question: items[at]!.id, value: [`${round}`], by: 'operator' })),
      );
      await expect.poll(() => state.cleared).toBeGreaterThan(before);
    }
    const results = await Promise.all(runs.map((run) => run.result() as Promise<RunResult>));
    for (const { outcome, result } of results) {
      expect(outcome).toBe('done');
      expect((await rig.read(result?.ref)).kind).toBe('set');
    }
  } finally {
    state.isOver = true;
    await clearing;
  }
  expect(new Set(written).size).toBe(plans);
  expect(written).toHaveLength(plans);
  expect((await checkStore(upkeep)).problems).toEqual([]);
}

/** As long as it takes, but for a run that has ended. */
async function questionOf(rig: Rig, run: WorkflowHandle): Promise<OpenItem> {
  for (;;) {
    const question = (await rig.open(run)).find(({ kind }) => kind === 'question');
    if (question !== undefined) return question;
    const { status } = await run.describe();
    if (status.name !== 'RUNNING') throw new Error(`a run ended: ${JSON.stringify(await run.result())}`);
    await pause(100);
  }
}

/** What belongs to a run of a namespace that is gone. */
async function litter(store: Store, round: number): Promise<void> {
  const results = resultsIn(store, `runs/litter/${round}`);
  await results.enter(
    'run',
    Buffer.from(JSON.stringify({ namespace: 'gone', namespaceId: 'gone', workflowId: 'gone' })),
  );
  const texts = Array.from({ length: 300 }, (_, n) => `litter ${round} ${n}`);
  await Promise.all(texts.map((text) => results.put(Buffer.from(text))));
  for (const text of texts.slice(0, 20)) await results.put(Buffer.from(`${text} alone`));
}
