/** A budget that several agents share, whose worker is killed while their calls are under way: the model's server counts what it sold. */

import { expect, test } from 'vitest';
import type { RunStatus } from '../../src/protocol/index.ts';
import { kill, openCrashSite } from '../support/crash-site.ts';
import { chatDelta, startModelServer, type Answer, type Asked } from '../support/model-server.ts';

const AGENTS = 3;
/** Tokens of a call, and the budget in calls: less than the agents need. */
const CALL = 100;
const BUDGET = 9;
const USED = { id: 'c', choices: [], usage: { prompt_tokens: 90, completion_tokens: 10 } };

/** The task of the agent that asks. */
function agentOf({ body }: Asked): string {
  return /Find \d/.exec(JSON.stringify(body['messages']))?.[0] ?? '';
}

/** An agent looks four times, and then has it. */
function asAgent({ body }: Asked): Answer {
  const rounds = (body['messages'] as readonly { role: string }[]).filter(({ role }) => role === 'tool').length;
  const [name, args] = rounds < 4 ? ['ids', { ids: [`found${rounds}`] }] : ['finish', { answer: 'found' }];
  const call = { index: 0, id: 'call', function: { name, arguments: JSON.stringify(args) } };
  return {
    events: [chatDelta({ tool_calls: [call] }), chatDelta({}, 'tool_calls'), USED, 'data: [DONE]\n\n'],
  };
}

test('agents at work together, killed with calls under way, spend the budget and what was under way', async () => {
  const { hire, start } = await openCrashSite();
  let holds = true;
  let first: string | undefined;
  let underWay = 0;
  let isHeard: () => void = () => undefined;
  const heard = new Promise<void>((resolve) => (isHeard = resolve));
  const model = await startModelServer((asked) => {
    // The first agent goes alone until its run knows what a call costs; the others hang until their worker is gone.
    first ??= agentOf(asked);
    if (!holds || agentOf(asked) === first) return asAgent(asked);
    underWay += 1;
    if (underWay === 2) isHeard();
    return { events: [chatDelta({ role: 'assistant' })], after: 'silence' };
  });
  const worker = await hire(model.baseURL);
  const steps = Array.from({ length: AGENTS }, (_, at) => ({
    step_id: `${at}`,
    agent: 'reader',
    action: `Find ${at}`,
  }));
  const options = { approval: 'effects', onFailure: 'partial', budget: { tokens: BUDGET * CALL, onEnd: 'partial' } };
  const run = await start({ plan: { goal: 'Find sources', steps }, options });
  await heard;
  await kill(worker);
  const lost = underWay;
  holds = false;

  await hire(model.baseURL);
  await run.result().catch(() => undefined);
  const { budget } = await run.query<RunStatus>('status');
  const sold = model.asked.length * CALL;
  expect(lost).toBeGreaterThan(1);
  expect(sold).toBeGreaterThanOrEqual(BUDGET * CALL);
  // Each agent has one call under way when the budget ends.
  expect(sold).toBeLessThanOrEqual((BUDGET + AGENTS) * CALL);
  // A call that was lost with its worker is counted as the reply that came in its place.
  expect(budget?.spent.tokens).toBe(sold);
  expect(budget?.reserved).toBeUndefined();
});
