import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NodeEvent } from '../../src/activities/index.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { kill, openCrashSite, settled } from '../support/crash-site.ts';
import { combine, planOf, task } from '../support/plans.ts';

const nap = (file: string) => task('nap', { until: file });

test('a run goes on after its worker was killed, and no finished node runs again', async () => {
  const { folder, hire, start, read } = await openCrashSite();
  const first = await hire();
  const plan = combine('UNION', combine('UNION', nap('a'), nap('b')), combine('UNION', nap('c'), nap('d')));
  const run = await start(planOf(plan, { approval: 'effects' }));
  await writeFile(join(folder, 'a'), '');
  await writeFile(join(folder, 'b'), '');
  await first.until((events) => events.filter(({ what }) => what === 'succeeded').length === 3);
  await settled(run, ({ counts }) => counts.succeeded === 3);
  await kill(first);

  const second = await hire();
  await writeFile(join(folder, 'c'), '');
  await writeFile(join(folder, 'd'), '');
  const { outcome, result } = (await run.result()) as RunResult;

  expect(outcome).toBe('done');
  expect(await read(result?.ref)).toMatchObject({ set: { ids: ['a', 'b', 'c', 'd'] } });
  const finishedBefore = idsOf(first.events, 'succeeded');
  expect(finishedBefore).toEqual(['node_1', 'node_2', 'node_3']);
  expect(idsOf(second.events, 'started')).toEqual(['node_4', 'node_5', 'node_6', 'node_7']);
});

function idsOf(events: readonly NodeEvent[], what: NodeEvent['what']): string[] {
  return events
    .filter((event) => event.what === what)
    .map(({ nodeId }) => nodeId)
    .toSorted();
}
