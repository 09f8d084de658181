/** A capability may do what it likes with what it is handed: nobody else sees it. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { failureOf, openActivities } from './rig.ts';
import { tool } from '../support/capabilities.ts';

const seen: string[] = [];
const greedy = tool('greedy', 'read', 'value', z.looseObject({}), (given) => {
  seen.push(JSON.stringify([given.goal, given.context, given.arguments, given.inputs.length]));
  const { context, arguments: args } = given as { context?: object; arguments: { nested?: unknown[] } };
  Object.assign(context ?? {}, { of: 'mice' });
  args.nested?.push('more');
  (given.inputs as unknown[]).length = 0;
  Object.assign(given, { goal: 'another' });
  return 0;
});

const document = (fields: string) =>
  `{"goal":"Find genes","plan":{"type":"task","task":"t","capability":"greedy",${fields}}}`;

test('a later attempt is handed what the first one was', async () => {
  const rig = await openActivities([greedy]);
  const { revisionRef: revision } = await rig.compiled(
    document('"context":{"of":"men"},"arguments":{"nested":[{"a":1}]}'),
  );
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] });
  }
  expect(seen).toEqual(Array(2).fill('["Find genes",{"of":"men"},{"nested":[{"a":1}]},0]'));
});

test('a key that would change the prototype of a copy is not handed out in context', async () => {
  const rig = await openActivities([greedy]);
  const { revisionRef: revision } = await rig.compiled(document('"context":{"a":[{"__proto__":{"of":"mice"}}]}'));
  const failure = await failureOf(rig.call('runTask', { revision, nodeId: 'node_1', inputs: [] }));
  expect(failure).toMatchObject({
    type: 'CRITICAL',
    message: expect.stringContaining('context.a[0]: no capability') as string,
  });
  expect(failure.details).toEqual([{ begun: false }]);
});

test('and no plan has it in arguments', async () => {
  const rig = await openActivities([greedy]);
  const source = { document: document('"arguments":{"a":{"__proto__":{"of":"mice"}}}') };
  expect(await rig.call('compilePlan', { source })).toMatchObject({
    ok: false,
    issues: [{ code: 'unknown-argument', got: '__proto__' }],
  });
});
