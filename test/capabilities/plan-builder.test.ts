import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { createPlanBuilder, defineCapability } from '../../src/capabilities/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { compilePlan } from '../../src/plan/index.ts';

const tracks = defineCapability({
  name: 'tracks',
  description: 'Reads a track.',
  input: z.strictObject({ track: z.enum(['exons', 'repeats']), limit: z.number().default(10) }),
  output: 'set',
  effect: 'read',
  execute: () => createSet([]),
});
const note = defineCapability({
  name: 'note',
  description: 'Writes a note.',
  input: z.object({ text: z.string().optional() }),
  output: 'text',
  effect: 'idempotent',
  execute: () => 'noted',
});
const capabilities = [tracks, note] as const;
const plan = createPlanBuilder(capabilities);

test('what the types allow compiles for the project', () => {
  const exons = plan.task('Read exons', { capability: 'tracks', arguments: { track: 'exons' } });
  const repeats = plan.task('Read repeats', {
    capability: 'tracks',
    arguments: { track: 'repeats', limit: 5 },
    hint: 'all',
  });
  const document = plan.document(
    'Compare',
    plan.task('Note it', { capability: 'note', input: plan.minus(exons, repeats) }),
  );
  const compiled = compilePlan(document, { catalogue: createRegistry(capabilities) });
  expect(compiled).toMatchObject({ ok: true, executors: { node_1: { name: 'tracks' }, node_4: { name: 'note' } } });
});

test('what the types refuse the compiler refuses too', () => {
  // @ts-expect-error: there is no such capability.
  const unknown = plan.task('A', { capability: 'track', arguments: { track: 'exons' } });
  // @ts-expect-error: there is no such track.
  const wrong = plan.task('B', { capability: 'tracks', arguments: { track: 'introns' } });
  // @ts-expect-error: the arguments of another capability.
  const other = plan.task('C', { capability: 'tracks', arguments: { text: 'x' } });
  // @ts-expect-error: this capability cannot do without arguments.
  const none = plan.task('D', { capability: 'tracks' });
  const document = plan.document('Compare', plan.union(plan.union(unknown, wrong), plan.union(other, none)));
  const compiled = compilePlan(document, { catalogue: createRegistry(capabilities) });
  if (compiled.ok) throw new Error('It compiled.');
  expect(new Set(compiled.issues.map(({ path }) => path.split('.').slice(0, 4).join('.')))).toEqual(
    new Set(['$.plan.left.left', '$.plan.left.right', '$.plan.right.left', '$.plan.right.right']),
  );
});

test('types that only the checker sees', () => {
  // @ts-expect-error: a window is the simple form, regions are the full one; not both.
  plan.colocate(plan.task('A'), plan.task('B'), { upstream: 1, left: 'exact', right: 'exact' });
  // @ts-expect-error: arguments belong to a capability.
  plan.task('A', { arguments: { track: 'exons' } });
  // @ts-expect-error: the window belongs to COLOCATE.
  plan.union(plan.task('A'), plan.task('B'), { upstream: 1 });
  expect(plan.task('A', { agent: 'Analyst', displayName: 'x' })).toEqual({
    type: 'task',
    task: 'A',
    agent: 'Analyst',
    displayName: 'x',
  });
});
