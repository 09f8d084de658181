/** An effect at most once whose worker is lost, and whose target can be asked whether it happened. */

import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { OpenItem, TracePage } from '../../src/protocol/index.ts';
import { approve, kill, openCrashSite, settled } from '../support/crash-site.ts';
import { resetRun } from '../support/reset-run.ts';
import { testHttpServer } from '../support/http-server.ts';
import { planOf, task } from '../support/plans.ts';

test('the bank has the money and the worker is killed: nobody is asked, and it is paid once, also after a reset', async () => {
  const { hire, start, ledger, read, client, connection } = await openCrashSite();
  const first = await hire();
  const run = await start(planOf(task('pay', { name: 'rent', until: 'never' })));
  await approve(run);
  await expect.poll(ledger).toHaveLength(1);
  await kill(first);
  await hire();
  const result = (await run.result()) as { readonly outcome: string; readonly result: { readonly ref: string } };
  expect(result).toMatchObject({ outcome: 'done' });
  expect(await read(result.result.ref)).toMatchObject({ text: 'rent' });
  expect(await ledger()).toHaveLength(1);
  const { entries } = await run.query<TracePage>('trace');
  expect(JSON.stringify(entries)).toMatch(/the probe of pay@1 said at [\d: -]+Z: it happened/);
  const reset = await resetRun({ connection, client }, run);
  expect(await reset.result()).toMatchObject({ outcome: 'done' });
  const again = await start(planOf(task('pay', { name: 'rent', until: 'never' }), { reuse: run.workflowId }), 'again');
  expect(await again.result()).toMatchObject({ outcome: 'done' });
  expect(await ledger()).toHaveLength(1);
});

test.each(['ask', 'replan'])(
  'a worker that stands still before it sends: its node waits, then a person reads what the probe said, and it is paid once (onFailure: %s)',
  { tags: ['slow'] },
  async (onFailure) => {
    vi.stubEnv('ONE_SLOT', 'yes');
    let bought = 0;
    const { url } = await testHttpServer((_, response) => {
      bought += 1;
      response.writeHead(500).end();
    });
    const { hire, start, ledger, folder } = await openCrashSite();
    const first = await hire(url);
    const run = await start(planOf(task('pay', { name: 'rent', send: 'send' }), { onFailure }));
    await approve(run);
    await expect.poll(() => readFile(join(folder, 'about'), 'utf8').catch(() => '')).not.toBe('');
    first.process.kill('SIGSTOP');
    await hire(url);
    const waits = await settled(run, (status) => status.waits !== undefined);
    expect(waits.waits).toMatch(
      /the probe of pay@1 said at .*: it did not happen; the attempt that claimed it may still do it until/,
    );
    expect(await run.query<readonly OpenItem[]>('questions')).toEqual([]);
    await settled(run, ({ counts }) => counts.uncertain === 1);
    const [item] = await run.query<readonly OpenItem[]>('questions');
    expect(item).toMatchObject({
      kind: 'uncertain',
      text: expect.stringMatching(/the probe of pay@1 said at .*: it did not happen/) as string,
    });
    await appendFile(join(folder, 'send'), '');
    first.process.kill('SIGCONT');
    await expect.poll(ledger).toHaveLength(1);
    await run.executeUpdate('control', {
      args: [{ action: 'resolve', node: 'node_1', outcome: 'succeeded', value: 'rent', by: 'operator' }],
    });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(await ledger()).toHaveLength(1);
    expect(bought).toBe(0);
  },
);
