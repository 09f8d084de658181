/** Any order of starts, words, resets, hand-overs and ends of one workflow id, judged by a ledger: as many effects as were approved. */

import type { WorkflowHandle } from '@temporalio/client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import type { ModelClient } from '../../src/models/index.ts';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { chainOf, signedTo } from '../support/chain-of.ts';
import { writes } from '../support/capabilities.ts';
import { handOver, SHORT_HISTORIES } from '../support/hand-over.ts';
import { planOf, task } from '../support/plans.ts';
import { resetRun } from '../support/reset-run.ts';
import { openRig, type Rig } from '../support/rig.ts';

const OPTIONS = { approval: 'effects' };
/** What pays by itself, and what gives it to an agent, whose step has an approval of its own. */
const PAYS = planOf(task('pays', { value: 'bill' }), OPTIONS);
const GIVES = planOf({ task: 'Pay', agent: 'payer' }, OPTIONS);
const { privateKey, publicKey } = createKeyPair();
const IDENTITY = { keys: { operator: { publicKey, subject: 'operator' } } };
const STEPS = [
  ...['start', 'start agent', 'start agent', 'approve', 'approve', 'approve', 'hand over', 'hand over'],
  ...['reset', 'reset', 'reset its first history', 'terminate', 'replay'],
] as const;
const WALKS = { numRuns: 2, seed: 31 };

/** An agent's model, whose reply depends on nothing but what it has seen. */
const model = {
  name: 'payer',
  complete({ messages }) {
    const isPaid = messages.some(({ role }) => role === 'tool');
    const [name, args] = isPaid ? ['finish', { answer: 'paid' }] : ['pays', { value: 'bill' }];
    const usage = { calls: 1, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 };
    const toolCalls = [{ id: 'c', name, arguments: JSON.stringify(args) }];
    return Promise.resolve({ model: 'payer', text: '', toolCalls, finish: 'tool-calls' as const, usage });
  },
} satisfies ModelClient;

describe.each([
  ['without keys', undefined, { tags: ['slow'] }],
  ['with keys', IDENTITY, { tags: [] as string[] }],
])('%s', (_, identity, how) => {
  const paid: string[] = [];
  let rig: Rig;
  let walks = 0;
  beforeAll(async () => {
    const capabilities = [writes('pays', 'at-most-once', paid)];
    const agent = defineAgent({ name: 'payer', description: 'Pays.', instructions: 'Pay.', capabilities });
    rig = await openRig({
      ...{ capabilities, agents: [agent], model, budget: SHORT_HISTORIES },
      ...(identity !== undefined && { identity }),
    });
  });
  afterAll(() => rig.close());

  test('each run of the id is approved by its own word, and pays once', how, async () => {
    const walk = fc.array(fc.constantFrom(...STEPS), { minLength: 10, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(walk, (steps) => go(['start', ...steps])),
      WALKS,
    );
  });

  async function go(steps: readonly (typeof STEPS)[number][]): Promise<void> {
    const workflowId = `${rig.taskQueue}-walk-${++walks}`;
    paid.length = 0;
    /** The newest of the id, which is open, or has paid; one with an agent waits there once its own plan was approved. */
    const run = rig.client.workflow.getHandle(workflowId);
    let agent: WorkflowHandle | undefined;
    let [isOpen, isPaid, hasAgent, approved] = [false, false, false, 0];
    const words: object[] = [];
    const wait = async () => (await rig.opened(agent ?? run, ({ kind }) => kind === 'approval')).digest;
    for (const step of steps) {
      if ((step === 'start' || step === 'start agent') && !isOpen) {
        hasAgent = step === 'start agent';
        await rig.start(hasAgent ? GIVES : PAYS, workflowId);
        [isOpen, isPaid, agent] = [true, false, undefined];
      } else if (step === 'approve' && isOpen) {
        const word = await wordFor(agent ?? run, await wait());
        expect(await rig.say(agent ?? run, 'decide', word)).toContain('approved');
        if (agent === undefined) words.push(word);
        if (hasAgent && agent === undefined) {
          agent = await rig.childOf(run);
          await wait();
        } else {
          expect(await run.result()).toMatchObject({ outcome: 'done' });
          [isOpen, isPaid] = [false, true];
          approved += 1;
        }
      } else if (step === 'hand over' && isOpen) {
        await wait();
        await handOver(agent ?? run);
        await wait();
      } else if (step === 'reset' || step === 'reset its first history') {
        // There is no end of a first workflow task before.
        if (isOpen) await wait();
        const first = step === 'reset' ? undefined : await chainOf(rig.client, workflowId);
        await resetRun(rig, rig.client.workflow.getHandle(workflowId, first));
        // What was said to the run is said again by the server.
        if (isPaid) expect(await run.result()).toMatchObject({ outcome: 'done' });
        isOpen = !isPaid;
        if (isOpen && agent !== undefined) expect((await rig.childOf(run)).workflowId).toBe(agent.workflowId);
      } else if (step === 'terminate' && isOpen) {
        await wait();
        await run.terminate();
        isOpen = false;
      } else if (step === 'replay' && isOpen && agent === undefined && identity !== undefined && words.length > 0) {
        await wait();
        expect(await rig.say(run, 'decide', words.at(-1)!)).toContain('the token names the run');
      }
      expect([step, paid.length]).toEqual([step, approved]);
    }

    async function wordFor(to: WorkflowHandle, digest: string): Promise<object> {
      const message = { kind: 'approve', digest };
      return identity === undefined
        ? { ...message, by: 'operator' }
        : { token: await signedTo(to, privateKey, message) };
    }
  }
});
