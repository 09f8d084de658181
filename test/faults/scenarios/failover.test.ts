/** How long a run stands still when one of its two workers is killed. Measured and printed; nothing depends on it. */

import { expect, test } from 'vitest';
import { momentOf, next, twoChains } from '../chain.ts';
import type { Member } from '../crew.ts';
import { attend } from '../operator.ts';
import { settle, tell } from '../report.ts';
import { openSite, until, type Site, type Started } from '../site.ts';

const ROUNDS = 10;
/** More than the rounds can take. */
const CHAIN = 400;
/** PENDING_WORKFLOW_TASK_STATE_STARTED of the API. */
const STARTED = 2;

/** What is done to the worker that holds the run, while the other one is at work for it. */
const KILLS = {
  'no workflow task open': (_site: Site, _started: Started, holder: Member) => holder.kill(),
  'a workflow task open': async (site: Site, { run }: Started, holder: Member) => {
    holder.halt();
    const request = { namespace: 'default', execution: { workflowId: run.workflowId } };
    await until('the halted worker was given a workflow task', async () => {
      const { pendingWorkflowTask } = await site.client.workflowService.describeWorkflowExecution(request);
      return Number(pendingWorkflowTask?.state) === STARTED;
    });
    await holder.kill();
  },
} as const;

async function measure(): Promise<void> {
  const site = await openSite();
  await Promise.all([site.hire({ slots: 1 }), site.hire({ slots: 1 })]);
  const started = await site.start(twoChains(CHAIN), [], { approval: 'effects' });
  const attended = attend(site, started, 600_000);
  for (const [what, kill] of Object.entries(KILLS)) {
    const waits: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { holder, link } = await momentOf(site, started);
      await kill(site, started, holder);
      const from = Date.now();
      site.write({ kind: 'fault', at: from, fault: what, inFlight: site.flying().length });
      await until('the run goes on', () => next(site, link, from) !== undefined);
      waits.push((next(site, link, from)?.at ?? from) - from);
      await site.hire({ slots: 1 });
    }
    waits.sort((a, b) => a - b);
    tell(`killed, ${what}`, {
      rounds: ROUNDS,
      'p50 ms': quantile(waits, 0.5),
      'p95 ms': quantile(waits, 0.95),
      'most ms': quantile(waits, 1),
    });
  }
  await started.run.cancel();
  await attended;
  expect((await settle(site, 'killed, next progress')).failing).toEqual([]);
}

test('a kill of one of two workers to the next progress', measure);

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
