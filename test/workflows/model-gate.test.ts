/** A run that is paused while its next step is being decided buys nothing, on the real server. */

import { expect, test } from 'vitest';
import { scriptedClient } from '../../src/models/index.ts';
import type { RoundSurroundings, ToolDecision } from '../../src/capabilities/index.ts';
import { definePolicy } from '../../src/capabilities/policy/index.ts';
import { ids } from '../support/capabilities.ts';
import { ownRig } from '../support/rig.ts';

function promised() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

test(
  'a loop that is paused before its model is asked asks it once it is resumed, and once',
  { timeout: 120_000 },
  async () => {
    const [isDeciding, mayGoOn] = [promised(), promised()];
    const policy = definePolicy<object, ToolDecision, RoundSurroundings>({
      name: 'waits',
      initial: () => ({}),
      stages: [
        {
          kind: 'enrich',
          name: 'before_the_model',
          run: async (_, { round }) => {
            if (round === 2) {
              isDeciding.resolve();
              await mayGoOn.promise;
            }
            return undefined;
          },
        },
        { kind: 'decide', name: 'decide', run: async (_, around) => ({ decision: await around.decide() }) },
      ],
      actions: {
        capability: { dispatch: (step) => step },
        reads: { dispatch: (step) => step },
        agent: { dispatch: (step) => step },
        plan: { dispatch: (step) => step },
        none: { dispatch: (step) => step },
        finish: { ends: true, dispatch: (step) => step },
      },
    });
    const call = { id: 'call', name: 'ids', arguments: JSON.stringify({ ids: ['a'], task: 'Find them' }) };
    const end = { id: 'end', name: 'finish', arguments: JSON.stringify({ answer: 'It is done.' }) };
    const model = scriptedClient([{ reply: { toolCalls: [call] } }, { reply: { toolCalls: [end] } }]);
    const rig = await ownRig({ capabilities: [ids], model, policy });
    const run = await rig.start({ goal: 'Find it', options: { mode: 'reactive' } });
    await isDeciding.promise;
    expect(await rig.say(run, 'control', { action: 'pause', by: 'operator' })).toContain('paused');
    mayGoOn.resolve();
    await expect
      .poll(async () => (await rig.trace(run)).map(({ text }) => text))
      .toContainEqual('the next decision has not begun: the run is paused');
    expect(model.requests).toHaveLength(1);
    await rig.say(run, 'control', { action: 'resume', by: 'operator' });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(model.requests).toHaveLength(2);
  },
);
