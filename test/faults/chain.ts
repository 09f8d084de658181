/** A run that goes link by link on two workers, and the moment at which one worker holds it while another one is at work for it. */

import type { Member } from './crew.ts';
import { deedsOf, type Deed } from './ledger.ts';
import { leaf, together } from './plans.ts';
import { until, type Site, type Started } from './site.ts';

const WORK_MS = 500;

/**
 * Two chains of work side by side: every link needs a workflow task, so that progress is the run's own. A worker with one
 * slot has one of the two under way, and the server gives the other to another worker instead of eagerly to the same one.
 */
export function twoChains(links: number): { readonly goal: string; readonly plan: object } {
  const chain = (name: string) => {
    let plan = leaf('look', `${name}-0`, { ms: WORK_MS });
    for (let n = 1; n < links; n++) plan = leaf('look', `${name}-${n}`, { ms: WORK_MS }, { input: plan });
    return plan;
  };
  return { goal: 'chains to kill workers under', plan: together([chain('link'), chain('other-link')]) };
}

/** Waits until one worker holds the run and the other one has just begun a link of it. */
export async function momentOf(
  site: Site,
  { run }: Started,
): Promise<{ readonly holder: Member; readonly link: Deed }> {
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

/** The next link that has begun since. */
export function next(site: Site, link: Deed, from: number): Deed | undefined {
  return deedsOf(site.lines(), 'begin').find(({ at, name }) => at >= from && name !== link.name);
}
