/** A node that ends its process in a part goes alone from then on, and is found. */

import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { NodesPage, RunResult } from '../../src/protocol/index.ts';
import { begunBy, idOf, leaves, openParts } from '../support/parts-crew.ts';
import { task, treeOver } from '../support/plans.ts';

test('what ends its process goes alone and is asked about after five workers; a neighbour is done', async () => {
  const { hire, start, folder } = await openParts();
  const workers = [await hire()];
  const run = await start(task('exit', {}, { input: treeOver(leaves(20)) }), { onFailure: 'partial' });
  // It is at work in every worker that is lost.
  const neighbour = await start(task('nap', { until: 'asked' }), { lane: 'visible' }, 'neighbour');
  const done = neighbour.result();
  const bad = await idOf(run, 'exit');
  const isAsked = async () => {
    // No worker may be there to answer.
    const { nodes } = await run.query<NodesPage>('nodes').catch(() => ({ nodes: [] as NodesPage['nodes'] }));
    return nodes.some(({ id, status }) => id === bad && status === 'failed');
  };
  while (!(await isAsked())) {
    const last = workers.at(-1);
    if (last?.process.exitCode !== null) workers.push(await hire());
    else await Promise.race([once(last.process, 'exit'), setTimeout(500)]);
  }
  await writeFile(join(folder, 'asked'), '');
  if (workers.at(-1)?.process.exitCode !== null) workers.push(await hire());
  expect(await done).toMatchObject({ outcome: 'done' });
  await run.signal('control', { action: 'skip-node', node: bad, by: 'operator' });
  const { outcome, missing } = (await run.result()) as RunResult;
  expect([outcome, missing?.map(({ id }) => id)]).toEqual(['partial', [bad]]);
  // As often as it may lose a worker alone, and in its part until what it stands on is kept.
  const begun = workers.reduce((sum, worker) => sum + begunBy(worker, bad), 0);
  expect(begun).toBeGreaterThanOrEqual(6);
  const others = workers.flatMap(({ events }) =>
    events.filter(({ what, nodeId }) => what === 'started' && nodeId !== bad),
  );
  expect(new Set(others.map(({ nodeId }) => nodeId)).size).toBe(39);
}, 600_000);
