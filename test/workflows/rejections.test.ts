/** A loop whose steps are refused one after the other: refusing is never a way to open the gate. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { scriptedClient, type ScriptedLine } from '../../src/models/index.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { writes } from '../support/capabilities.ts';
import { openRig, type Rig } from '../support/rig.ts';

const written: string[] = [];
const proposes = (value: string): ScriptedLine => ({
  reply: { toolCalls: [{ id: 'call', name: 'writes', arguments: JSON.stringify({ value, task: 'Set it' }) }] },
});
const finishes: ScriptedLine = {
  reply: { toolCalls: [{ id: 'call', name: 'finish', arguments: JSON.stringify({ answer: 'done' }) }] },
};
const VALUES = ['1', '2', '3', '4', '5'];
const model = scriptedClient([...VALUES.map(proposes), finishes]);

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ capabilities: [writes('writes', 'idempotent', written)], model });
});
afterAll(() => rig.close());

test('Osprey: per-step approval: four rejections in a row keep the gate shut, and only an approval opens it', async () => {
  const run = await rig.start({ goal: 'Set it', options: { mode: 'reactive' } });
  const refused: string[] = [];
  const nextCard = () => rig.opened(run, ({ kind, digest }) => kind === 'approval' && !refused.includes(digest));
  for (let times = 1; times <= 4; times++) {
    const { digest } = await nextCard();
    await rig.say(run, 'decide', { kind: 'reject', digest, by: 'operator', comment: `not the ${times}. one` });
    refused.push(digest);
  }
  const { digest } = await nextCard();
  // The gate is shut for the fifth as it was for the first.
  expect([written, rig.begun(run)]).toEqual([[], {}]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('operator refused it: not the 4. one');
  for (const before of refused) {
    const reply = await rig.say(run, 'decide', { kind: 'approve', digest: before, by: 'operator' });
    expect(reply).toContain('the decision names digest');
  }
  expect(rig.begun(run)).toEqual({});
  await rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator' });
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect([written.length, rig.begun(run)]).toEqual([1, { node_1: 1 }]);
});
