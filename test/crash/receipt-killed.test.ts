/** A worker that is killed while it writes a receipt: the next one writes it, and there is one. */

import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { verifyReceipt } from '../../src/protocol/identity/index.ts';
import { createFileStore, receiptsIn } from '../../src/store/index.ts';
import { signedTo } from '../support/chain-of.ts';
import { openCrashSite, settled } from '../support/crash-site.ts';
import { idsOf, planOf } from '../support/plans.ts';
import { IDENTITY, OPERATOR, WORKERS } from '../support/receipts.ts';

const KILLED = 'killed right %s is on the disk';
test.each(['after-receipt'] as const)(KILLED, killedAt);
test.each(['before-receipt'] as const)(KILLED, { tags: ['slow'] }, killedAt);

async function killedAt(diesAt: 'before-receipt' | 'after-receipt'): Promise<void> {
  vi.stubEnv('RECEIPTS', JSON.stringify({ identity: IDENTITY, key: WORKERS.privateKey }));
  const { hire, start, folder } = await openCrashSite();
  const first = await hire(undefined, diesAt);
  const run = await start(planOf(idsOf('a')));
  const { digest } = await settled(run, ({ phase }) => phase === 'awaiting-approval');
  const token = await signedTo(run, OPERATOR.privateKey, { kind: 'approve', digest }, { kid: 'operator' });
  await Promise.all([once(first.process, 'exit'), run.executeUpdate('decide', { args: [{ token }] })]);
  await hire();
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  const store = createFileStore(join(folder, 'results'));
  const found = await receiptsIn(store, '');
  expect(found.map(({ text }) => verifyReceipt(text, IDENTITY).problems)).toEqual([[]]);
}
