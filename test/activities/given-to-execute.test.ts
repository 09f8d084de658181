/** What `execute` is given of its task: what the plan says of it, and nothing that an approval does not bind. */

import { readResult } from '../../src/store/index.ts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openActivities } from './rig.ts';
import { tool } from '../support/capabilities.ts';

/** What a capability saw of each of its tasks, in the order in which they ran. */
async function seenIn(document: object): Promise<readonly Record<string, unknown>[]> {
  const seen: Record<string, unknown>[] = [];
  const sees = tool(
    'sees',
    'read',
    'value',
    z.looseObject({}),
    ({ idempotencyKey: _key, signal: _signal, heartbeat: _heartbeat, inputs, ...given }) => {
      seen.push({ ...given, inputs: inputs.map(({ name }) => name) });
      return seen.length;
    },
  );
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
  const writes = tool('writes', 'read', 'value', z.looseObject({}), ({ inputTypes = {} }) => {
    kept.push({ ...inputTypes });
    Object.assign(inputTypes, { genes: 'ANOTHER' });
    return 0;
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

test.each(['result_from_step_site', '{{site}}', { deep: ['${site}'] }])(
  'the argument %j is the value from outside the plan',
  async (x) => {
    const gives = tool('gives', 'read', 'value', z.looseObject({}), ({ arguments: args }) => args as never);
    const rig = await openActivities([gives]);
    const document = { goal: 'g', steps: [{ context_key: 'a', tool: 'gives', args: { x } }] };
    const compiled = await rig.call('compilePlan', { source: { document }, context: { site: { name: 'north' } } });
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
    const { revisionRef: revision } = await rig.shapeOf(compiled);
    const reply = await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] });
    const stored = await readResult(rig.results, 'ref' in reply ? reply.ref : '');
    const site = { name: 'north' };
    expect(stored).toEqual({ kind: 'value', value: { x: typeof x === 'string' ? site : { deep: [site] } } });
  },
);
