/** A query that is sent to a dead worker is answered by another one: what the run does then must be what it replays. */

import { expect, test } from 'vitest';
import { chainOf, momentOf } from '../chain.ts';
import { attend, BY } from '../operator.ts';
import { settle } from '../report.ts';
import { openSite } from '../site.ts';

test('a query that waits for a dead worker, and a message right after it', async () => {
  const site = await openSite();
  await Promise.all([site.hire(), site.hire()]);
  const started = await site.start(chainOf(12), [], { approval: 'effects' });
  const { run } = started;
  const { holder } = await momentOf(site, started);
  await site.fault('kill -9', () => holder.kill());
  // The server waits for the dead worker, 2 s, before it asks the other one; the link ends meanwhile.
  await site.client.workflow.getHandle(run.workflowId).query('status');
  await site.say({ run: run.workflowId, word: 'pause' }, () => run.control({ action: 'pause', by: BY }));
  await site.say({ run: run.workflowId, word: 'resume' }, () => run.control({ action: 'resume', by: BY }));
  await attend(site, started);
  expect((await settle(site, 'a query to a dead worker')).failing).toEqual([]);
});
