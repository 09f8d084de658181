/** What a demo did is undone: its world is as it was, and what has no inverse is named. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { openArchive } from '../../examples/agents/archive.ts';
import { createConfig, demo } from '../../examples/agents/index.ts';
import { createCapabilities } from '../../examples/by-hand/capabilities.ts';
import { openWorld } from '../../examples/by-hand/world.ts';
import { undoDocument } from '../../src/operations/undo.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { testFolder } from '../support/folders.ts';
import { ownRig, plansOf, type Rig } from '../support/rig.ts';
import { readSource } from '../support/source-files.ts';

/** Approves whatever waits, in the run and its agents, until the run has ended. */
async function approveAll(rig: Rig, run: WorkflowHandle): Promise<RunResult> {
  const decided = new Set<string>();
  while ((await run.describe()).status.name === 'RUNNING') {
    const { open } = await plansOf(rig).run(run.workflowId).view(['open']);
    for (const { id, kind, digest, workflowId } of open) {
      const key = `${workflowId} ${id} ${digest}`;
      if (kind !== 'approval' || decided.has(key)) continue;
      decided.add(key);
      const handle = rig.client.workflow.getHandle(workflowId);
      for (const role of ['operator', 'safety'])
        await rig.say(handle, 'decide', { kind: 'approve', digest, by: role, role });
    }
  }
  return run.result() as Promise<RunResult>;
}

async function undone(rig: Rig, { workflowId }: WorkflowHandle) {
  const plans = plansOf(rig);
  const session = { plans, client: rig.client, results: rig.store, namespace: 'default' };
  const run = await plans.find(workflowId);
  const { document, left } = await undoDocument({ ...session, run }, rig.registry, (command) => command);
  await approveAll(rig, await rig.start({ plan: document }));
  return left.map(({ reason }) => reason);
}

test('by-hand: the payment is paid back; the receipt stays printed', async () => {
  const folder = testFolder('by-hand-undo');
  for (const name of ['ordered', 'delivered', 'bank']) await writeFile(join(folder, `${name}.txt`), '');
  const rig = await ownRig({ capabilities: createCapabilities(openWorld(folder)) });
  const bank = async () => (await readFile(join(folder, 'bank.txt'), 'utf8')).split('\n').filter(Boolean);
  const run = await rig.start(JSON.parse(readSource('examples/by-hand/start.json')));
  expect(await approveAll(rig, run)).toMatchObject({ outcome: 'done' });
  expect(await bank()).toEqual(['aspen: 120']);
  expect(await undone(rig, run)).toEqual(['receipt has no inverse']);
  expect(await bank()).toEqual(['aspen: 120', 'aspen: -120']);
});

test('agents: the report that an agent filed is withdrawn', async () => {
  const stateFile = join(testFolder('agents-undo'), 'archive.jsonl');
  const { capabilities = [], agents = [], model } = createConfig({ stateFile });
  const rig = await ownRig({ capabilities, agents, model: model! });
  const run = await rig.start({ plan: JSON.parse(await readFile(demo.planFile, 'utf8')) as object });
  expect(await approveAll(rig, run)).toMatchObject({ outcome: 'done' });
  expect(openArchive(stateFile).all()).toHaveLength(1);
  expect(await undone(rig, run)).toEqual([]);
  expect(openArchive(stateFile).all()).toEqual([]);
});
