/** A run that goes link by link, and the moment at which one worker holds it while another one is at work for it. */

import type { Member } from './crew.ts';
import { deedsOf, type Deed } from './ledger.ts';
import { leaf } from './plans.ts';
import { until, type Site, type Started } from './site.ts';

const WORK_MS = 500;

/** A chain of work: every link needs a workflow task, so that progress is the run's own. */
export function chainOf(links: number): { readonly goal: string; readonly plan: object } {
  let plan = leaf('look', 'link-0', { ms: WORK_MS });
  for (let n = 1; n < links; n++) plan = leaf('look', `link-${n}`, { ms: WORK_MS }, { input: plan });
  return { goal: 'a chain to kill workers under', plan };
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
