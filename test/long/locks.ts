/** Writes to one device that each take longer than every constant of the mechanism of locks, by workers that are killed on the way. */

import { expect } from 'vitest';
import { deedsOf, type Deed } from '../faults/ledger.ts';
import { attend } from '../faults/operator.ts';
import { leaf } from '../faults/plans.ts';
import { settle } from '../faults/report.ts';
import { openSite, until, type Site } from '../faults/site.ts';

/** Two of each effect: one of them is killed in the middle of its write. */
const WRITERS = ['set', 'set-once', 'set', 'set-once'] as const;
const PATIENCE_MS = 30 * 60_000;

/**
 * Four runs write to one device, each for so long. Of each effect the first writer loses its worker in the middle.
 *
 * @param ms longer than a writer waits for its turn
 */
export async function writeSlowly(ms: number): Promise<void> {
  const site = await openSite();
  await Promise.all([site.hire(), site.hire()]);
  const device = site.taskQueue;
  const runs = await Promise.all(
    WRITERS.map((capability, n) => {
      const name = `${capability}-${n}`;
      const plan = leaf(capability, name, { ms, device });
      return site.start({ goal: `write ${name}`, plan }, [name], { approval: 'effects' });
    }),
  );
  const attended = Promise.all(runs.map((run) => attend(site, run, PATIENCE_MS)));
  const deaths = new Map<number, number>();
  const spares: number[] = [];
  for (const effect of ['idempotent', 'at-most-once'] as const) {
    const writer = await nextOf(site, effect);
    spares.push(await spareOf(site, writer));
    await until('it is in the middle', () => Date.now() > writer.at + ms / 2, ms);
    await site.fault('kill -9', async () => {
      await site
        .crew()
        .find(({ pid }) => pid === writer.pid)
        ?.kill();
      deaths.set(writer.pid, Date.now());
    });
    await site.hire();
  }
  const settled = (await attended).reduce((sum, one) => sum + one.settled, 0);
  const { failing } = await settle(site, 'slow writes to one device', { settled, ms });
  expect(failing).toEqual([]);
  expect(overlaps(site, deaths)).toEqual([]);
  const ended = deedsOf(site.lines(), 'end').map(({ name }) => name);
  expect(ended.toSorted()).toEqual(WRITERS.map((capability, n) => `${capability}-${n}`).toSorted());
  // A lock lasts for longer than the longest attempt under it.
  for (const spare of spares) expect(spare).toBeGreaterThan(0);
}

/** The writer that is under way and has such an effect. */
async function nextOf(site: Site, effect: Deed['effect']): Promise<Deed> {
  let found: Deed | undefined;
  await until(
    `a writer that is ${effect} is at work`,
    () => (found = site.flying().find((deed) => deed.effect === effect)) !== undefined,
    PATIENCE_MS,
  );
  return found!;
}

/** How much longer than the attempt of the writer the server keeps its lock, at least, in seconds. */
async function spareOf({ client, taskQueue }: Site, { run, activity }: Deed): Promise<number> {
  const { raw } = await client.workflow.getHandle(`planwright-resource/${taskQueue}`).describe();
  const { events } = await client.workflow.getHandle(run).fetchHistory();
  const attempts = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: one }) => one ?? []);
  const attempt = attempts.findLast(({ activityId }) => activityId === activity);
  const expires = Number(raw.workflowExtendedInfo?.executionExpirationTime?.seconds);
  // The lock was taken after the attempt had begun.
  const taken = Number(raw.workflowExecutionInfo?.startTime?.seconds);
  return expires - taken - Number(attempt?.startToCloseTimeout?.seconds);
}

/** Those that wrote while another did. What its worker's death ended, ended then. */
function overlaps(site: Site, deaths: ReadonlyMap<number, number>): readonly string[] {
  const ends = deedsOf(site.lines(), 'end');
  const writes = deedsOf(site.lines(), 'begin').map((deed) => {
    const { key, pid, attempt, at, name } = deed;
    const end = ends.find((one) => one.key === key && one.pid === pid && one.attempt === attempt)?.at;
    return { name, from: at, to: end ?? deaths.get(pid) ?? Infinity };
  });
  return writes.flatMap((one, n) =>
    writes
      .slice(n + 1)
      .filter(({ from, to }) => from < one.to && one.from < to)
      .map(({ name }) => `${one.name} and ${name}`),
  );
}
