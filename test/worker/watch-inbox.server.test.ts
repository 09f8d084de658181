/** The metric of what waits for a person: what it is set to while runs begin to wait, wait on, and go on. */

import { expect, inject, onTestFinished, test } from 'vitest';
import { createPlanClient } from '../../src/client/index.ts';
import { watchInbox } from '../../src/config/own-worker/index.ts';
import { METRICS, OPEN_ITEM_KINDS } from '../../src/protocol/index.ts';
import { ids } from '../support/capabilities.ts';
import { idsOf, planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const rig = await sharedRig({ capabilities: [ids] });

/** Watches, and tells what was set last, by kind and age; without what is zero. */
function watched() {
  const { client, store, taskQueue } = rig;
  const values = new Map<string, number>();
  let looks = 0;
  const meter = {
    createGauge: (name: string) => ({
      set(value: number, { kind, older }: { kind?: string; older?: string } = {}) {
        if (name === METRICS.openItems.name) values.set(`${kind} ${older}`, value);
        else looks += 1;
      },
    }),
  };
  const plans = createPlanClient({ client, address: inject('address'), namespace: 'default', store, taskQueue });
  const begin = () =>
    watchInbox({ connected: { client, namespace: 'default' }, plans, taskQueue, meter: meter as never });
  return {
    async look() {
      const before = looks;
      const watch = begin();
      onTestFinished(() => watch.stop());
      await expect.poll(() => looks).toBeGreaterThan(before);
      await watch.stop();
      return Object.fromEntries([...values].filter(([, value]) => value > 0));
    },
    kinds: () => new Set([...values.keys()].map((key) => key.split(' ')[0])),
  };
}

test('counts what runs of this queue wait for, by kind and age, and nothing that was answered', async () => {
  const seen = watched();
  expect(await seen.look()).toEqual({});
  expect(seen.kinds()).toEqual(new Set(OPEN_ITEM_KINDS));
  const asking = task('ids', { ids: ['a'] }, { input: task('ask', { question: 'Which?' }) });
  const run = await rig.start(planOf(asking, { approval: 'effects' }));
  await rig.start(planOf(idsOf('a')));
  const { id } = await rig.opened(run, ({ kind }) => kind === 'question');
  await expect.poll(() => seen.look()).toEqual({ 'approval 0s': 1, 'question 0s': 1 });
  await rig.say(run, 'answer', { question: id, value: 'this', by: 'operator' });
  await run.result();
  await expect.poll(() => seen.look()).toEqual({ 'approval 0s': 1 });
});
