/** A run that asks a language model of the AI SDK: with the journal, the prices and the budget of any other model. */

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { languageModelClient } from '../../src/models/index.ts';
import type { RunStatus } from '../../src/protocol/index.ts';
import { tool } from '../support/capabilities.ts';
import { chatEvents, startModelServer } from '../support/model-server.ts';
import { planOf, task } from '../support/plans.ts';
import { ownRig } from '../support/rig.ts';

test('a reply is bought once for all attempts, has its price, and counts for the budget', async () => {
  const server = await startModelServer(() => ({ events: chatEvents(['Forty-two.']) }));
  const lab = createOpenAICompatible({ name: 'lab', baseURL: server.baseURL, includeUsage: true });
  const attempts: string[] = [];
  const asks = tool('asks', 'read', 'text', z.object({ what: z.string() }), async ({ model, arguments: { what } }) => {
    const { text = '' } = (await model?.({ messages: [{ role: 'user', content: what }] })) ?? {};
    attempts.push(text);
    if (attempts.length === 1) throw new Error('after the reply');
    return text;
  });
  const rig = await ownRig({
    capabilities: [{ ...asks, retry: { attempts: 3, initialMs: 10 } }],
    model: languageModelClient(lab('tiny'), { prices: { tiny: { input: 1_000_000, output: 1_000_000 } } }),
    spending: { money: 100 },
  });
  const run = await rig.startApproved(planOf(task('asks', { what: 'What is it?' })));
  const { result } = (await run.result()) as { readonly result: { readonly ref: string } };
  expect(await rig.read(result.ref)).toEqual({ kind: 'text', text: 'Forty-two.' });
  expect(attempts).toEqual(['Forty-two.', 'Forty-two.']);
  expect(server.asked).toHaveLength(1);
  expect((await run.query<RunStatus>('status')).usage).toMatchObject({ calls: 1, cost: 15 });
});
