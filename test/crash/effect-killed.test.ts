/** An effect at most once whose worker is killed: the next attempt finds out what came of it. */

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { approve, openCrashSite } from '../support/crash-site.ts';
import { planOf, task } from '../support/plans.ts';

test.each([
  ['before it claimed the effect: it is done once, by the next', 'started', 2],
  ['between the stored result and its completion: it is done, and nobody is asked', 'succeeded', 2],
] as const)('killed %s', async (_, diesAt, attempts) => {
  const { hire, start, ledger, read } = await openCrashSite();
  const first = await hire(undefined, diesAt);
  const run = await start(planOf(task('mark-once', { name: 'water' })));
  await Promise.all([once(first.process, 'exit'), approve(run)]);
  const second = await hire();
  const result = (await run.result()) as { readonly outcome: string; readonly result: { readonly ref: string } };
  expect(result).toMatchObject({ outcome: 'done' });
  expect(await read(result.result.ref)).toMatchObject({ text: 'water' });
  expect(await ledger()).toHaveLength(1);
  expect(second.events.at(-1)).toMatchObject({ what: 'succeeded', attempt: attempts });
});
