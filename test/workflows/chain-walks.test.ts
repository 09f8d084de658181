/** Any order of starts, words, resets and ends of one workflow id, judged by a ledger: as many effects as runs were approved. */

import type { WorkflowHandle } from '@temporalio/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyPair, signMessage } from '../../src/protocol/identity/index.ts';
import { chainOf } from '../support/chain-of.ts';
import { writes } from '../support/capabilities.ts';
import { planOf, task } from '../support/plans.ts';
import { resetRun } from '../support/reset-run.ts';
import { openRig, type Rig } from '../support/rig.ts';

const PAYS = planOf(task('pays', { value: 'bill' }), { approval: 'effects' });
const { privateKey, publicKey } = createKeyPair();
const IDENTITY = { keys: { operator: { publicKey, subject: 'operator' } } };
const STEPS = ['start', 'start', 'approve', 'approve', 'reset', 'reset', 'terminate', 'replay'] as const;
const WALKS = { numRuns: 6, seed: 30 };

describe.each([
  ['without keys', undefined],
  ['with keys', IDENTITY],
])('%s', (_, identity) => {
  const paid: string[] = [];
  let rig: Rig;
  let walks = 0;
  beforeAll(async () => {
    rig = await openRig({
      capabilities: [writes('pays', 'at-most-once', paid)],
      ...(identity !== undefined && { identity }),
    });
  });
  afterAll(() => rig.close());

  test('each run of the id is approved by its own word, and pays once', async () => {
    const walk = fc.array(fc.constantFrom(...STEPS), { minLength: 8, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(walk, (steps) => go(['start', ...steps])),
      WALKS,
    );
  });

  async function go(steps: readonly (typeof STEPS)[number][]): Promise<void> {
    const workflowId = `${rig.taskQueue}-walk-${++walks}`;
    paid.length = 0;
    /** The newest run of the id: whether it is open, and whether it was approved. */
    let run: WorkflowHandle | undefined;
    let [isOpen, isPaid, approved] = [false, false, 0];
    const words: object[] = [];
    const wait = async () => (await rig.opened(run!, ({ kind }) => kind === 'approval')).digest;
    for (const step of steps) {
      if (step === 'start' && !isOpen) {
        run = await rig.start(PAYS, workflowId);
        [isOpen, isPaid] = [true, false];
      } else if (step === 'approve' && isOpen) {
        const word = await wordFor(await wait());
        expect(await rig.say(run!, 'decide', word)).toContain('approved');
        expect(await run!.result()).toMatchObject({ outcome: 'done' });
        words.push(word);
        [isOpen, isPaid] = [false, true];
        approved += 1;
      } else if (step === 'reset') {
        // There is no end of a first workflow task before.
        if (isOpen) await wait();
        run = await resetRun(rig, run!);
        // What was said to the run is said again by the server.
        if (isPaid) expect(await run.result()).toMatchObject({ outcome: 'done' });
        isOpen = !isPaid;
      } else if (step === 'terminate' && isOpen) {
        await wait();
        await run!.terminate();
        isOpen = false;
      } else if (step === 'replay' && isOpen && identity !== undefined && words.length > 0) {
        await wait();
        expect(await rig.say(run!, 'decide', words.at(-1)!)).toContain('the token names the run');
      }
      expect([step, paid.length]).toEqual([step, approved]);
    }

    async function wordFor(digest: string): Promise<object> {
      const message = { kind: 'approve', digest };
      if (identity === undefined) return { ...message, by: 'operator' };
      const chain = await chainOf(rig.client, workflowId);
      return { token: await signMessage({ key: privateKey, by: 'operator', workflowId, message, chain }) };
    }
  }
});
