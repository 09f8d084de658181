/** Runs whose nodes are tools of the AI SDK, OpenAI Agents and Mastra: asked about, called once, unsure after a crash. */

import { writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fromTools } from '../../src/capabilities/builtin/index.ts';
import type { OpenItem } from '../../src/protocol/index.ts';
import { approve, kill, openCrashSite } from '../support/crash-site.ts';
import { FOREIGN_EFFECTS, foreignTools } from '../support/foreign-tools.ts';
import { fileFolder } from '../support/folders.ts';
import { planOf, task } from '../support/plans.ts';
import { ownRig } from '../support/rig.ts';

const folder = fileFolder('foreign-runs');
const REFUNDS = ['refundByAiSdk', 'refundByAgents', 'refundByMastra'];

test('a tool of each library waits for approval and is called once with its key; one that streams ends with its last value', async () => {
  writeFileSync(join(folder, 'ledger'), '');
  const ledger = () => readFileSync(join(folder, 'ledger'), 'utf8').trim();
  const capabilities = fromTools(foreignTools(folder), { version: '1.0.0', effects: FOREIGN_EFFECTS });
  const rig = await ownRig({ capabilities });
  const refunds = REFUNDS.map((capability, at) => ({
    ...{ context_key: capability, capability, task_objective: 'Pay back', parameters: { amount: at + 1, until: '.' } },
  }));
  const counting = { context_key: 'counted', capability: 'count', task_objective: 'Count', parameters: { to: 50 } };
  const run = await rig.start({ plan: { goal: 'Pay back', steps: [counting, ...refunds] } });
  const { text, asks } = await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(`${text} ${asks}`).toContain('3 at-most-once');
  expect(ledger()).toBe('');
  await rig.approve(run);
  const { results } = (await run.result()) as { readonly results: Readonly<Record<string, { readonly ref: string }>> };
  expect(await rig.read(results['counted']?.ref)).toEqual({ kind: 'value', value: { counted: 50 } });
  for (const [at, name] of REFUNDS.entries())
    expect(await rig.read(results[name]?.ref)).toEqual({ kind: 'value', value: { paid: at + 1 } });
  const lines = ledger().split('\n');
  expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['ai 1', 'agents 2', 'mastra 3']);
  expect(new Set(lines.map((line) => line.split(' ')[2])).size).toBe(3);
});

const UNSURE = 'a worker that is killed within %s leaves it unsure, and it is not called again';
test.each(REFUNDS.slice(0, 1))(UNSURE, killedWithin);
test.each(REFUNDS.slice(1))(UNSURE, { tags: ['slow'] }, killedWithin);

async function killedWithin(name: string): Promise<void> {
  vi.stubEnv('FOREIGN', 'yes');
  const { hire, start, ledger } = await openCrashSite();
  const first = await hire();
  const run = await start(planOf(task(name, { amount: 7, until: 'never' })));
  await approve(run);
  await expect.poll(ledger).toHaveLength(1);
  await kill(first);
  await hire();
  await expect.poll(() => run.query<readonly OpenItem[]>('questions')).toHaveLength(1);
  const [item] = await run.query<readonly OpenItem[]>('questions');
  expect(item).toMatchObject({ kind: 'uncertain' });
  const decision = {
    action: 'resolve',
    node: item?.id,
    outcome: 'succeeded',
    value: { paid: 7 },
    digest: item?.digest,
    by: 'operator',
  };
  await run.executeUpdate('control', { args: [decision] });
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(await ledger()).toHaveLength(1);
}
