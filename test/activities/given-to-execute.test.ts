/** What `execute` is given of its task: what the plan says of it, and nothing that an approval does not bind. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineCapability } from '../../src/capabilities/index.ts';
import { openActivities } from './rig.ts';

/** What a capability saw of each of its tasks, in the order in which they ran. */
async function seenIn(document: object): Promise<readonly Record<string, unknown>[]> {
  const seen: Record<string, unknown>[] = [];
  const sees = defineCapability({
    ...{ name: 'sees', description: 'Notes what it is given.', input: z.looseObject({}) },
    ...({ output: 'value', effect: 'read' } as const),
    execute({ idempotencyKey: _key, signal: _signal, heartbeat: _heartbeat, inputs, ...given }) {
      seen.push({ ...given, inputs: inputs.map(({ name }) => name) });
      return seen.length;
    },
  });
  const rig = await openActivities([sees]);
  const { revisionRef: revision, inputs: taken } = await rig.compiled(document);
  const refs: string[] = [];
  for (const [index, from] of taken.entries()) {
    const inputs = from.map((at) => refs[at] ?? '');
    const reply = await rig.call('runTask', { revision, nodeId: `node_${index + 1}`, inputs });
    refs.push('ref' in reply ? reply.ref : '');
  }
  return seen;
}

const osprey = { context_key: 'genes', capability: 'sees', task_objective: 'Find genes' };

test('Osprey: step fields reach what carries the step out', async () => {
  const near = {
    ...{ context_key: 'near', capability: 'sees', task_objective: 'Keep the near ones' },
    ...{ expected_output: 'GENES', success_criteria: 'One is left', inputs: [{ LOCI: 'genes' }], parameters: { a: 1 } },
  };
  const [first, second] = await seenIn({ goal: 'g', steps: [osprey, near] });
  expect(first).toStrictEqual({ goal: 'g', task: 'Find genes', contextKey: 'genes', arguments: {}, inputs: [] });
  expect(second).toStrictEqual({
    ...{ goal: 'g', task: 'Keep the near ones', contextKey: 'near', expectedOutput: 'GENES' },
    ...{ successCriteria: 'One is left', inputTypes: { genes: 'LOCI' }, arguments: { a: 1 }, inputs: ['genes'] },
  });
});

test('Calute: step fields reach what carries the step out', async () => {
  const step = { step_id: 1, capability: 'sees', action: 'search', description: 'Find what is near', arguments: {} };
  const [seen] = await seenIn({ objective: 'g', steps: [step, { ...step, step_id: 2 }] });
  expect(seen).toMatchObject({ contextKey: '1', action: 'search', description: 'Find what is near' });
});

test('what is not part of a key is not given: a display name, and the place of a node in its tree', async () => {
  const below = { type: 'task', task: 'Look', capability: 'sees', display_name: 'A look' };
  const root = { type: 'task', task: 'Compare', capability: 'sees', displayName: 'All', input: below };
  expect(await seenIn({ goal: 'g', plan: root })).toStrictEqual([
    { goal: 'g', task: 'Look', arguments: {}, inputs: [] },
    { goal: 'g', task: 'Compare', arguments: {}, inputs: ['input'] },
  ]);
});

test('what a capability writes into the types of its inputs does not stay', async () => {
  const kept: unknown[] = [];
  const writes = defineCapability({
    ...{ name: 'writes', description: 'Writes into what it is given.', input: z.looseObject({}) },
    ...({ output: 'value', effect: 'read' } as const),
    execute({ inputTypes = {} }) {
      kept.push({ ...inputTypes });
      Object.assign(inputTypes, { genes: 'ANOTHER' });
      return 0;
    },
  });
  const rig = await openActivities([writes]);
  const step = { context_key: 'near', capability: 'writes', task_objective: 'Keep', inputs: [{ LOCI: 'genes' }] };
  const first = { context_key: 'genes', capability: 'writes', task_objective: 'Find' };
  const { revisionRef: revision } = await rig.compiled({
    goal: 'g',
    steps: [first, step, { ...first, context_key: 'c' }],
  });
  const below = await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] });
  const request = { revision, nodeId: 'node_2', inputs: ['ref' in below ? below.ref : ''] };
  await rig.call('runTask', request);
  await rig.call('runTask', request);
  expect(kept).toEqual([{}, { genes: 'LOCI' }, { genes: 'LOCI' }]);
});
