import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { Reply } from '../../src/protocol/index.ts';
import { kill, openCrashSite, settled } from '../support/crash-site.ts';

const steps = (capability: string) => ({
  plan: {
    goal: 'Mark three',
    steps: ['a', 'b', 'c'].map((name) => ({ step_id: name, capability, arguments: { name }, description: name })),
  },
});
const say = (run: WorkflowHandle, name: string, message: object) =>
  run.executeUpdate<Reply, [object]>(name, { args: [{ by: 'operator', ...message }] });

async function opened(capability: string) {
  const site = await openCrashSite();
  const first = await site.hire();
  const run = await site.start(steps(capability));
  const { digest } = await settled(run, ({ phase }) => phase === 'awaiting-approval');
  return { ...site, first, run, digest };
}

// Workers are killed at any moment in test/faults, whose short form is no slow test.
test(
  'killed between the approval and the first node: the approval holds, and each effect happens once',
  { tags: ['slow'] },
  async () => {
    const { first, run, digest, hire, ledger } = await opened('mark-once');
    // Paused, the approval is taken and nothing can have started when the worker dies.
    await say(run, 'control', { action: 'pause' });
    expect(await say(run, 'decide', { kind: 'approve', digest })).toMatchObject({ ok: true });
    await kill(first);
    const second = await hire();
    await say(run, 'control', { action: 'resume' });
    expect(await run.result()).toMatchObject({ outcome: 'done', digest });
    expect(first.events).toEqual([]);
    expect((await ledger()).map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'c']);
    expect(second.events.filter(({ what }) => what === 'started')).toHaveLength(4);
  },
);

test(
  'killed the moment an approval is answered: no effect is made under two keys, and none is lost',
  { tags: ['slow'] },
  async () => {
    const { first, run, digest, hire, ledger } = await opened('mark');
    await say(run, 'decide', { kind: 'approve', digest });
    await kill(first);
    await hire();
    expect(await run.result()).toMatchObject({ outcome: 'done', digest });
    expect([...new Set(await ledger())].map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'c']);
  },
);
