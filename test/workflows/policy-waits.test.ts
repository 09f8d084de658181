/** What waits at once in loops, on the real server: each thing is decided by itself. */

import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import type { RunStatus } from '../../src/protocol/index.ts';
import { scriptedClient } from '../../src/models/index.ts';
import type { RoundSurroundings } from '../../src/capabilities/index.ts';
import { definePolicy } from '../../src/capabilities/policy/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { combine, task } from '../support/plans.ts';
import { openRig } from '../support/rig.ts';

describe('several things wait at once', () => {
  const written: string[] = [];
  /** Writes its task, whatever it is told, until it is written or three times refused. */
  const writing = definePolicy<{ readonly refused: number; readonly done: boolean }, AgentDecision, RoundSurroundings>({
    name: 'writing',
    initial: () => ({ refused: 0, done: false }),
    observers: [
      {
        name: 'observe',
        after: ['write'],
        writes: ['refused', 'done'],
        run: ({ refused }, { status }) =>
          status === 'succeeded' ? { done: true } : { refused: refused + (status === 'rejected' ? 1 : 0) },
      },
    ],
    stages: [
      {
        kind: 'decide',
        name: 'write_it',
        run: ({ refused, done }, around) => ({
          decision: done || refused === 3 ? { action: 'end' } : { action: 'write', value: around.task.task ?? '' },
        }),
      },
    ],
    actions: {
      write: {
        dispatch: ({ value }) => ({
          is: 'capability',
          name: 'writes',
          arguments: { value },
          objective: `write ${value}`,
        }),
      },
      end: { ends: true, dispatch: () => ({ is: 'finish', answer: 'ended' }) },
    },
  });
  type AgentDecision = { readonly action: 'write'; readonly value: string } | { readonly action: 'end' };

  test('Osprey: per-step approval: of two steps that wait, rejecting one leaves the other open', async () => {
    const tools = [writes('writes', 'at-most-once', written)];
    const desk = defineAgent({
      name: 'desk',
      description: 'Writes.',
      instructions: 'Write.',
      capabilities: tools,
      policy: writing,
    });
    const own = await openRig({ capabilities: [ids, ...tools], agents: [desk], model: scriptedClient([]) });
    try {
      const after = (name: string) => task('ids', { ids: [name] }, { input: { task: name, agent: 'desk' } });
      const run = await own.start({ goal: 'Write both', plan: combine('UNION', after('one'), after('two')) });
      await own.approve(run);
      const both = await own.until(
        run,
        ({ children = [] }) => children.filter((one) => one.waitingFor > 0).length === 2,
      );
      const [one, two] = (both.children ?? []).map(({ workflowId }) => own.client.workflow.getHandle(workflowId));
      if (one === undefined || two === undefined) throw new Error('there are not two');
      const digestOf = async (handle: WorkflowHandle) => (await handle.query<RunStatus>('status')).digest;
      const untouched = await digestOf(two);
      const first = await digestOf(one);
      expect(await own.say(one, 'decide', { kind: 'reject', digest: first, by: 'operator' })).toContain('reject');
      await own.until(one, ({ loop, phase }) => loop?.round === 2 && phase === 'awaiting-approval');
      expect(await digestOf(two)).toBe(untouched);
      expect(await own.say(two, 'decide', { kind: 'approve', digest: untouched, by: 'operator' })).toBe('approved');
      await two.result();
      expect(written).toHaveLength(1);
      expect((await one.query<RunStatus>('status')).phase).toBe('awaiting-approval');
      await run.cancel();
      await run.result().catch(() => undefined);
    } finally {
      await own.close();
    }
  });
});
