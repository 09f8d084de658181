/** What an agent's step costs in history, whatever its transcript holds. */

import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent, defineCapability } from '../../src/define/index.ts';
import type { RunStatus } from '../../src/wire/contract/index.ts';
import { scriptedClient } from '../../src/model/index.ts';
import { openRig, type Rig } from '../support/rig.ts';

const ROUNDS = 12;
const read = defineCapability({
  name: 'read',
  description: 'A page of text.',
  input: z.object({ page: z.number(), length: z.number() }),
  output: 'text',
  effect: 'read',
  execute: ({ arguments: { page, length } }) => `${page}: ${'word '.repeat(length / 5)}`,
});
const reader = defineAgent({
  name: 'reader',
  description: 'Reads.',
  instructions: 'Read all pages.',
  capabilities: [read],
  limits: { rounds: ROUNDS + 1 },
});

const rigs: Rig[] = [];
afterAll(async () => {
  for (const rig of rigs) await rig.close();
});

/** Bytes and events of the agent's history, and characters that its model was given in the last round. */
async function lengthOf(length: number) {
  const call = (name: string, args: object) => ({
    reply: { toolCalls: [{ id: 'c', name, arguments: JSON.stringify(args) }] },
  });
  const pages = Array.from({ length: ROUNDS }, (_, page) => call('read', { page: page + 10, length }));
  const model = scriptedClient([...pages, call('finish', { answer: 'read' })]);
  const rig = await openRig({ capabilities: [read], agents: [reader], model });
  rigs.push(rig);
  const run = await rig.start({
    goal: 'Read',
    plan: { task: 'Read all', agent: 'reader' },
    options: { approval: 'effects' },
  });
  const { children = [] } = await rig.until(run, (status: RunStatus) => (status.children?.length ?? 0) > 0);
  const child = rig.client.workflow.getHandle(children[0]?.workflowId ?? '');
  await run.result();
  const { historySize = 0, historyLength } = await child.describe();
  const asked = JSON.stringify(model.requests.at(-1)?.messages ?? []).length;
  return { historySize, historyLength, asked };
}

test('history per step of an agent is independent of what it read', async () => {
  const short = await lengthOf(50);
  const long = await lengthOf(8000);
  expect(long.asked).toBeGreaterThan(10 * short.asked);
  expect(Math.abs(long.historySize - short.historySize)).toBeLessThan(0.05 * short.historySize);
  // A run of 100 such steps stays under 2 MiB.
  expect((100 / ROUNDS) * long.historySize).toBeLessThan(2 * 2 ** 20);
  console.info(
    `${Math.round(long.historySize / ROUNDS)} bytes and ${Math.round((long.historyLength / ROUNDS) * 10) / 10} events of history a step`,
  );
}, 120_000);
