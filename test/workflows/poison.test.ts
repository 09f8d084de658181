/** A document that would grow without bound, from a person or a model: its run is told at once, and others go on. */

import { expect, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import { scriptedClient } from '../../src/models/index.ts';
import { aliasBomb } from '../support/alias-bomb.ts';
import { ids } from '../support/capabilities.ts';
import { idsOf, planOf } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const agent = defineAgent({ name: 'finder', description: 'Finds.', instructions: 'Find.', capabilities: [ids] });
const bombs = Array.from({ length: 6 }, () => ({ reply: aliasBomb(7, 28) }));
const rig = await sharedRig({ capabilities: [ids], agents: [agent], model: scriptedClient(bombs) });

test.each([
  ['short', aliasBomb()],
  ['long', aliasBomb(7, 28)],
])('a %s document is refused while a neighbour is done', async (_, text) => {
  const poison = await rig.start(text);
  const neighbour = await rig.start(planOf(idsOf('a'), { approval: 'effects' }));
  expect(await neighbour.result()).toMatchObject({ outcome: 'done' });
  await expect(poison.result()).rejects.toMatchObject({
    cause: { type: 'InvalidPlan', details: [{ issues: [{ code: 'too-large' }] }] },
  });
});

test('a model that replies so is told, and a neighbour is done meanwhile', async () => {
  const poison = await rig.start({ goal: 'Find a', options: { approval: 'effects' } });
  const neighbour = await rig.start(planOf(idsOf('a'), { approval: 'effects' }));
  expect(await neighbour.result()).toMatchObject({ outcome: 'done' });
  const status = await rig.until(poison, ({ phase }) => phase === 'awaiting-approval');
  expect(status).toMatchObject({ fallback: true });
  await poison.terminate('seen');
});
