/** A query that is sent to a dead worker is answered by another one: what the run does then must be what it replays. */

import { expect, test } from 'vitest';
import { UNHEARD } from '../../../src/protocol/index.ts';
import { openSite, type Site, type Started } from '../site.ts';
import { momentOf, twoChains } from '../chain.ts';
import { attend, BY } from '../operator.ts';
import { leaf, together } from '../plans.ts';
import { settle } from '../report.ts';

/** What comes with the workflow task that the query was ahead of. */
const SAID: Readonly<Record<string, (site: Site, started: Started) => Promise<unknown>>> = {
  nothing: () => Promise.resolve(),
  'an update': async (site, { run }) => {
    await site.say({ run: run.workflowId, word: 'pause' }, () => run.control({ action: 'pause', by: BY }));
    await site.say({ run: run.workflowId, word: 'resume' }, () => run.control({ action: 'resume', by: BY }));
  },
  'a signal': async ({ client }, { run }) => {
    const handle = client.workflow.getHandle(run.workflowId);
    await handle.signal('control', { action: 'pause', by: BY });
    await handle.signal('control', { action: 'resume', by: BY });
  },
  // The end of storing the answer ends the timer of its deadline.
  'an answer': async (_site, { run }) => {
    for (const { id, kind } of (await run.view(['open'])).open) {
      if (kind === 'question') await run.answer({ question: id, value: ['chosen'], by: BY });
    }
  },
};

test.each(Object.keys(SAID))('a query that waits for a dead worker, and %s right after it', async (what) => {
  const site = await openSite();
  await Promise.all([site.hire({ slots: 1 }), site.hire({ slots: 1 })]);
  const { goal, plan } = twoChains(12);
  const document = { goal, plan: together([plan, leaf('choose', 'choice')]) };
  const started = await site.start(document, [], { approval: 'effects' });
  const { holder } = await momentOf(site, started);
  await site.fault('kill -9', () => holder.kill());
  // The server waits for the dead worker, 2 s, before it asks the other one; the link ends meanwhile.
  const query = site.client.workflow.getHandle(started.run.workflowId).query('status');
  const unheard = await query.then(
    () => 0,
    (error: unknown) => (String(error).includes(UNHEARD) ? 1 : Promise.reject(error as Error)),
  );
  await SAID[what]?.(site, started);
  await attend(site, started);
  expect((await settle(site, `a query to the dead, ${what}`, { unheard })).failing).toEqual([]);
});
