/** How long a run stands still when one of its two workers is killed. Measured and printed; nothing depends on it. */

import { expect, inject, test } from 'vitest';
import { deedsOf, type Deed } from '../ledger.ts';
import type { Member } from '../crew.ts';
import { attend } from '../operator.ts';
import { leaf } from '../plans.ts';
import { settle, tell } from '../report.ts';
import { openSite, until, type Site, type Started } from '../site.ts';

const ROUNDS = 10;
const WORK_MS = 500;
/** More than the rounds can take. */
const CHAIN = 400;
/** PENDING_WORKFLOW_TASK_STATE_STARTED of the API. */
const STARTED = 2;

/** Every link needs a workflow task, so that progress is the run's own. */
function chain(): object {
  let plan = leaf('look', 'link-0', { ms: WORK_MS });
  for (let n = 1; n < CHAIN; n++) plan = leaf('look', `link-${n}`, { ms: WORK_MS }, { input: plan });
  return { goal: 'a chain to kill workers under', plan };
}

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
  await Promise.all([site.hire(), site.hire()]);
  const started = await site.start(chain(), [], { approval: 'effects' });
  const attended = attend(site, started, 600_000);
  for (const [what, kill] of Object.entries(KILLS)) {
    const waits: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const { holder, link } = await moment(site, started);
      await kill(site, started, holder);
      const from = Date.now();
      site.write({ kind: 'fault', at: from, fault: what, inFlight: site.flying().length });
      await until('the run goes on', () => next(site, link, from) !== undefined);
      waits.push((next(site, link, from)?.at ?? from) - from);
      await site.hire();
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

if (inject('long')) test('a kill of one of two workers to the next progress', measure);

/** Waits until one worker holds the run and the other one has just begun a link of it. */
async function moment(site: Site, { run }: Started): Promise<{ readonly holder: Member; readonly link: Deed }> {
  const handle = site.client.workflow.getHandle(run.workflowId);
  for (;;) {
    const seen = deedsOf(site.lines(), 'begin').length;
    await until('a link has begun', () => deedsOf(site.lines(), 'begin').length > seen);
    const { events } = await handle.fetchHistory();
    const identity = events?.findLast((event) => event.workflowTaskCompletedEventAttributes)
      ?.workflowTaskCompletedEventAttributes?.identity;
    const link = deedsOf(site.lines(), 'begin').at(-1);
    const holder = site.crew().find(({ pid }) => identity?.startsWith(`${pid}@`));
    const isAtWork = site.flying().some(({ activity }) => activity === link?.activity);
    if (link !== undefined && holder !== undefined && holder.pid !== link.pid && isAtWork) return { holder, link };
  }
}

function next(site: Site, link: Deed, from: number): Deed | undefined {
  return deedsOf(site.lines(), 'begin').find(({ at, name }) => at >= from && name !== link.name);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
