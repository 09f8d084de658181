/** The model's server is away, over HTTP: the run waits for it, asks, and goes on where it stood. */

import { expect, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import { FINISH } from '../../src/planner/round/tools.ts';
import { ids } from '../support/capabilities.ts';
import { chatDelta, startModelServer, type Answer } from '../support/model-server.ts';
import { ownRig } from '../support/rig.ts';

const AWAY: Answer = { status: 503, body: { error: { message: 'overloaded' } } };
const USED = { id: 'c', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5 } };
const FINISHED: Answer = {
  events: [
    chatDelta({
      tool_calls: [{ index: 0, id: 'call', function: { name: FINISH, arguments: '{"answer":"all found"}' } }],
    }),
    chatDelta({}, 'tool_calls'),
    USED,
    'data: [DONE]\n\n',
  ],
};

/** A worker whose model stands behind a server that is away until the test says otherwise. */
async function opened(patience: '1s' | '10m', away = AWAY) {
  let answer = away;
  const server = await startModelServer(() => answer);
  const finder = defineAgent({ name: 'finder', description: 'Finds.', instructions: 'Find.', capabilities: [ids] });
  const rig = await ownRig({
    capabilities: [ids],
    agents: [finder],
    model: { baseURL: server.baseURL, name: 'served', api: 'chat', patience },
  });
  return { rig, server, comesBack: () => (answer = FINISHED) };
}

test(
  'a loop waits in the round that it is in, says so, and goes on when the server is back',
  { tags: ['slow'], timeout: 240_000 },
  async () => {
    const { rig, server, comesBack } = await opened('10m');
    const run = await rig.start({ goal: 'Find a', options: { mode: 'reactive' } });
    const { waits } = await rig.until(run, (status) => status.waits !== undefined);
    expect(waits).toMatch(/^waits for the model server: .*503.*overloaded/);
    expect(await rig.open(run)).toEqual([]);
    comesBack();
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect((await rig.trace(run, 'held')).length).toBeGreaterThan(1);
    const { usage, waits: after } = await rig.until(run, () => true);
    expect([usage?.calls, after]).toEqual([1, undefined]);
    // A try is four attempts; the answered one was bought.
    expect(server.asked.length).toBeGreaterThanOrEqual(5);
  },
);

test('a server that asks for a pause of hours is away at once, by its own number, and is left alone', async () => {
  const { rig, server } = await opened('10m', { ...AWAY, headers: { 'retry-after': '10800' } });
  const run = await rig.start({ goal: 'Find a' });
  const { waits } = await rig.until(run, (status) => status.waits !== undefined);
  expect(waits).toMatch(/^waits for the model server: .*asks for a pause of 3 h.*overloaded/);
  expect(server.asked).toHaveLength(1);
  await rig.say(run, 'control', { action: 'kill', by: 'operator', comment: 'seen enough' });
  expect(await run.result()).toMatchObject({ outcome: 'aborted' });
  expect(server.asked).toHaveLength(1);
}, 240_000);
