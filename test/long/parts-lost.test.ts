/** A node that ends its process in a part goes alone from then on, and is found. */

import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { RunResult } from '../../src/protocol/index.ts';
import { begunBy, idOf, leaves, openParts } from '../support/parts-crew.ts';
import { task, treeOver } from '../support/plans.ts';

test('what ends its process goes alone and has failed after five workers; what had ended before stands', async () => {
  const { hire, start } = await openParts();
  const workers = [await hire()];
  const run = await start(task('exit', {}, { input: treeOver(leaves(20)) }), { onFailure: 'partial' });
  const over = { is: false };
  const result = run.result().finally(() => (over.is = true)) as Promise<RunResult>;
  while (!over.is) {
    const last = workers.at(-1);
    await Promise.race([result, last?.process.exitCode === null ? once(last.process, 'exit') : undefined]);
    if (!over.is) workers.push(await hire());
  }
  const { outcome, missing } = await result;
  expect(outcome).toBe('partial');
  const bad = await idOf(run, 'exit');
  expect(missing?.map(({ id, failure }) => [id, failure?.type])).toEqual([[bad, 'WorkerLost']]);
  // As often as it may lose a worker alone, and in its part until what it stands on is kept.
  const begun = workers.reduce((sum, worker) => sum + begunBy(worker, bad), 0);
  expect(begun).toBeGreaterThanOrEqual(6);
  const others = workers.flatMap(({ events }) =>
    events.filter(({ what, nodeId }) => what === 'started' && nodeId !== bad),
  );
  expect(new Set(others.map(({ nodeId }) => nodeId)).size).toBe(39);
}, 300_000);
