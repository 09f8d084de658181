/** A part whose worker is lost: what is said meanwhile holds. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Reply, RunResult } from '../../src/protocol/index.ts';
import { kill, settled } from '../support/crash-site.ts';
import { begunBy, idOf, leaves, openParts } from '../support/parts-crew.ts';
import { combine, task, treeOver } from '../support/plans.ts';

test('a node that is cancelled while the worker of its part is gone takes no other with it', async () => {
  const { folder, hire, start } = await openParts();
  const naps = combine('UNION', task('nap', { until: 'a' }), task('nap', { until: 'b' }));
  const first = await hire();
  const run = await start(combine('UNION', treeOver(leaves(20)), naps), { onFailure: 'partial' });
  await settled(run, ({ counts }) => counts.succeeded === 39);
  const cancelled = await idOf(run, '"a"');
  await kill(first);
  const said = run.executeUpdate<Reply, [object]>('control', {
    args: [{ action: 'cancel-node', node: cancelled, by: 'operator' }],
  });
  const second = await hire();
  await said;
  await writeFile(join(folder, 'b'), '');
  const { outcome, missing } = (await run.result()) as RunResult;
  expect(outcome).toBe('partial');
  expect(missing?.map(({ status }) => status)).toEqual(['cancelled', 'skipped', 'skipped']);
  expect(begunBy(second, cancelled)).toBe(0);
  expect(second.events.filter(({ what }) => what === 'started').map(({ nodeId }) => nodeId)).toEqual([
    await idOf(run, '"b"'),
  ]);
}, 300_000);
