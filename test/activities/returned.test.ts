/** What a capability returned, where that cannot be stored as it is. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readResult } from '../../src/store/index.ts';
import type { Effect } from '../../src/plan/index.ts';
import { failureOf, openActivities } from './rig.ts';
import { tool } from '../support/capabilities.ts';

const circle: Record<string, unknown> = {};
circle['self'] = circle;

const RETURNED: Readonly<Record<string, unknown>> = {
  undefined: undefined,
  'a function inside': { reading: 5, again: () => 1 },
  'a symbol': Symbol('done'),
  'a big integer': 12n,
  'a circle': circle,
  'a date': { at: new Date(0) },
  'what throws when it is read': Object.defineProperty({}, 'x', { enumerable: true, get: () => raise() }),
};

function raise(): never {
  throw new Error('do not look');
}

/** Does what it is for, and returns what its arguments name. */
function returns(effect: Effect, given: Readonly<Record<string, unknown>> = RETURNED) {
  const done: string[] = [];
  const capability = tool('returns', effect, 'value', z.object({ what: z.string() }), ({ arguments: { what } }) => {
    done.push(what);
    return given[what] as never;
  });
  return { done, capability };
}

/** As a step that stands on another. */
const reads = tool('reads', 'read', 'value', z.looseObject({}), async ({ inputs }) => (await inputs[0]!.read()).kind);

const step = (what: string) => ({ step_id: 1, capability: 'returns', arguments: { what }, description: 'd' });
const steps = (what: string, more: object) => ({
  objective: 'g',
  steps: [step(what), { step_id: 2, capability: 'reads', description: 'd', ...more }],
});

describe.each(['idempotent', 'at-most-once'] as const)('an %s effect that happened is not undone by it', (effect) => {
  test.each(Object.keys(RETURNED))('%s', async (what) => {
    const { capability, done } = returns(effect);
    const rig = await openActivities([capability, reads]);
    const { revisionRef: revision } = await rig.compiled({ objective: 'g', steps: [step(what)] });
    const reply = await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [], work: 1 });
    expect(reply).toMatchObject({
      kind: 'value',
      notes: [expect.stringMatching(/^it was done, and its result could not be stored: capability returns: /)],
    });
    expect(done).toEqual([what]);
    const stored = await readResult(rig.results, 'ref' in reply ? reply.ref : '');
    expect(stored).toEqual({ kind: 'value', value: { $unstored: expect.stringMatching(/^capability returns: /) } });
  });
});

test.each(Object.keys(RETURNED))('a read that returns %s has failed, and is not tried again', async (what) => {
  const { capability } = returns('read');
  const rig = await openActivities([capability]);
  const { revisionRef: revision } = await rig.compiled({ objective: 'g', steps: [step(what)] });
  const failure = await failureOf(rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] }));
  expect(failure).toMatchObject({ type: 'CRITICAL', message: expect.stringMatching(/^capability returns: /) });
});

test.each<[string, object]>([
  ['as an input', { dependencies: [1] }],
  ['by a reference', { arguments: { of: 'result_from_step_1' } }],
])('whoever reads such a result %s is told why there is none', async (_, more) => {
  const { capability } = returns('at-most-once');
  const rig = await openActivities([capability, reads]);
  const { revisionRef: revision } = await rig.compiled(steps('a function inside', more));
  const first = await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [], work: 1 });
  const inputs = ['ref' in first ? first.ref : ''];
  const failure = await failureOf(rig.call('runTask', { revision, nodeId: 'node_2', inputs }));
  expect(failure).toMatchObject({
    type: 'CRITICAL',
    message: expect.stringMatching(/^what it stands on was done and has no result: .*\$\["again"\] is a function/),
  });
});

test('members that are undefined are left out, as JSON does, and a list keeps its places', async () => {
  const { capability } = returns('read', { given: { a: undefined, list: [1, undefined], deep: { b: undefined } } });
  const rig = await openActivities([capability]);
  const { revisionRef: revision } = await rig.compiled({ objective: 'g', steps: [step('given')] });
  const reply = await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] });
  expect(reply).not.toHaveProperty('notes');
  const stored = await readResult(rig.results, 'ref' in reply ? reply.ref : '');
  expect(stored).toEqual({ kind: 'value', value: { list: [1, null], deep: {} } });
});
