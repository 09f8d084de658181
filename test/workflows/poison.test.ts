/** Documents that are made to keep a reader busy, from a person or a model: their runs are told at once, and others go on. */

import { expect, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import { scriptedClient } from '../../src/models/index.ts';
import { ids } from '../support/capabilities.ts';
import { HOSTILE_PLANS } from '../support/hostile-plans.ts';
import { idsOf, planOf } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const agent = defineAgent({ name: 'finder', description: 'Finds.', instructions: 'Find.', capabilities: [ids] });
const texts = Object.values(HOSTILE_PLANS);
/** A planning asks six times: it takes the texts in turn. */
const PLANNINGS = Math.ceil(texts.length / 6);
const replies = Array.from({ length: 6 * PLANNINGS }, (_, at) => ({ reply: texts[at % texts.length]! }));
const rig = await sharedRig({ capabilities: [ids], agents: [agent], model: scriptedClient(replies) });

test('documents are refused while a neighbour is done', async () => {
  const poison = await Promise.all(texts.map((text) => rig.start(text)));
  const neighbour = await rig.start(planOf(idsOf('a'), { approval: 'effects' }));
  expect(await neighbour.result()).toMatchObject({ outcome: 'done' });
  const refused = { cause: { type: 'InvalidPlan' } };
  await Promise.all(poison.map((run) => expect(run.result()).rejects.toMatchObject(refused)));
});

test('a model that replies so is told, and a neighbour is done meanwhile', async () => {
  const start = () => rig.start({ goal: 'Find a', options: { approval: 'effects' } });
  const poison = await Promise.all(Array.from({ length: PLANNINGS }, start));
  const neighbour = await rig.start(planOf(idsOf('a'), { approval: 'effects' }));
  expect(await neighbour.result()).toMatchObject({ outcome: 'done' });
  for (const run of poison) {
    expect(await rig.until(run, ({ phase }) => phase === 'awaiting-approval')).toMatchObject({ fallback: true });
    await run.terminate('seen');
  }
});
