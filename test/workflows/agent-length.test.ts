/** What an agent's step costs in history, whatever its transcript holds. */

import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/capabilities/index.ts';
import { scriptedClient } from '../../src/models/index.ts';
import { tool } from '../support/capabilities.ts';
import { call, finish } from '../support/calls.ts';
import { sharedRig } from '../support/rig.ts';

const ROUNDS = 12;
/** Rounds between the first and the last, which begin and end the run. */
const MEASURED = 8;
const AGENT_ROUND_BYTES = 3100;
const read = tool(
  'read',
  'read',
  'text',
  z.object({ page: z.number(), length: z.number() }),
  ({ arguments: { page, length } }) => `${page}: ${'word '.repeat(length / 5)}`,
);
const reader = defineAgent({
  name: 'reader',
  description: 'Reads.',
  instructions: 'Read all pages.',
  capabilities: [read],
  limits: { rounds: ROUNDS + 1 },
});

const pagesOf = (length: number) =>
  Array.from({ length: ROUNDS }, (_, page) => call('read', { page: page + 10, length }));

async function rigWith(length: number) {
  const model = scriptedClient([...pagesOf(length), finish('read')]);
  const rig = await sharedRig({ capabilities: [read], agents: [reader], model });
  return { rig, model };
}

/** Bytes of history that a round takes between the first and the last, as the server counts them. */
async function roundOf(run: WorkflowHandle): Promise<number> {
  const { events } = await run.fetchHistory();
  const sizes = (events ?? []).flatMap(({ workflowTaskStartedEventAttributes: started }) =>
    started == null ? [] : Number(started.historySizeBytes),
  );
  // Two workflow tasks a round.
  const [from = 0, to = 0] = [sizes.at(4), sizes.at(4 + 2 * MEASURED)];
  return (to - from) / MEASURED;
}

/** Bytes and events of the agent's history, and characters that its model was given in the last round. */
async function lengthOf(length: number) {
  const { rig, model } = await rigWith(length);
  const run = await rig.start({
    goal: 'Read',
    plan: { task: 'Read all', agent: 'reader' },
    options: { approval: 'effects' },
  });
  const child = await rig.childOf(run);
  await run.result();
  const { historySize = 0, historyLength } = await child.describe();
  const asked = JSON.stringify(model.requests.at(-1)?.messages ?? []).length;
  return { historySize, historyLength, asked, round: await roundOf(child) };
}

test('history per step of an agent is independent of what it read', { tags: ['slow'] }, async () => {
  const short = await lengthOf(50);
  const long = await lengthOf(8000);
  expect(long.asked).toBeGreaterThan(10 * short.asked);
  expect(Math.abs(long.historySize - short.historySize)).toBeLessThan(0.05 * short.historySize);
  console.info(
    `an agent: ${long.round} bytes of history a round, ${long.historyLength / ROUNDS} events a step with the run's own`,
  );
  expect(long.round).toBeLessThanOrEqual(AGENT_ROUND_BYTES);
});
