import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineCapability } from '../../src/capabilities/index.ts';

const search = defineCapability({
  name: 'search',
  version: '3',
  description: 'Searches.',
  input: z.strictObject({ organism: z.string(), window: z.object({ upstream: z.int().min(0) }).optional() }),
  output: 'text',
  effect: 'read',
  execute: (task) => task.arguments.organism,
});

describe('the registry', () => {
  test('resolves a name to what carries it out', () => {
    const registry = createRegistry([search], { defaultExecutor: 'search' });
    const executor = { kind: 'capability', name: 'search', version: '3', effect: 'read' };
    expect(registry.executor('capability', 'search')).toEqual(executor);
    expect(registry.defaultExecutor).toEqual(executor);
    expect(registry.executor('capability', 'Search')).toBeUndefined();
    expect(registry.executor('agent', 'search')).toBeUndefined();
    expect(registry.capabilities).toEqual(['search', 'respond', 'ask', 'clarify']);
  });

  test('names every argument that does not fit, by its path', () => {
    const registry = createRegistry([search]);
    const executor = { kind: 'capability', name: 'search', version: '3', effect: 'read' } as const;
    const problems = registry.checkArguments(executor, { organism: 7, window: { upstream: -1 }, strand: 'same' });
    expect(problems.map(({ path, got }) => [path.join('.'), got])).toEqual([
      ['organism', 'number 7'],
      ['window.upstream', 'number -1'],
      ['strand', 'strand'],
    ]);
    expect(problems.at(-1)).toMatchObject({ code: 'unknown-argument', expected: ['organism', 'window'] });
    expect(registry.checkArguments(executor, undefined)).toMatchObject([{ path: ['organism'], got: 'nothing' }]);
    expect(registry.checkArguments(executor, { organism: 'P. falciparum' })).toEqual([]);
  });

  test('has what every project has, unless the project says otherwise', () => {
    const own = { ...search, name: 'ask' };
    const { all, capability } = createRegistry([own]);
    expect(all.map(({ name, kind }) => [name, kind])).toEqual([
      ['ask', undefined],
      ['respond', undefined],
      ['clarify', 'wait'],
    ]);
    expect(capability('ask')).toBe(own);
  });

  test('refuses two capabilities of one name, and a default that is not there', () => {
    expect(() => createRegistry([search, search])).toThrow('declared twice');
    expect(() => createRegistry([search], { defaultExecutor: 'find' })).toThrow('declared are search, respond');
  });
});

test.each<[object, string]>([
  [{ timeout: { heartbeatMs: -1 } }, 'timeout.heartbeatMs is a whole number from 1, not number -1'],
  [{ timeout: { startToCloseMs: 0.5 } }, 'timeout.startToCloseMs is a whole number from 1, not number 0.5'],
  [{ retry: { attempts: 0 } }, 'retry.attempts is a whole number from 1, not number 0'],
  [{ retry: { factor: 0.5 } }, 'retry.factor is a number from 1, not number 0.5'],
  [{ timeout: { heartbeat: 5 } }, 'there is no timeout.heartbeat; known are startToCloseMs'],
  [{ retry: 3 }, 'retry is { attempts?, initialMs?, factor? }, not number 3'],
])('a bound that the server would refuse is refused at the start: %j', (bounds, message) => {
  expect(() => defineCapability({ ...search, ...bounds })).toThrow(message);
});

describe('a declaration', () => {
  test('has version 1 and no special bounds unless it says so', () => {
    const { version: _, ...bare } = search;
    expect(defineCapability(bare)).toMatchObject({ version: '1', timeout: {}, retry: {}, requires: [], provides: [] });
  });

  test.each(['', '1st', 'a b', 'a/b', 'x'.repeat(81)])('is refused with the name %j', (name) => {
    expect(() => defineCapability({ ...search, name })).toThrow('a name is letters');
  });

  test.each<[over: object, says: string]>([
    [{ kind: 'wait', effect: 'idempotent' }, 'its effect is read, not "idempotent"'],
    [{ kind: 'wait', effect: 'at-most-once' }, 'its effect is read, not "at-most-once"'],
    [{ kind: 'work' }, 'kind is "wait" or absent, not "work"'],
    [{ cost: -1 }, 'cost is a finite number from 0, not number -1'],
    [{ cost: Number.NaN }, 'cost is a finite number from 0'],
    [{ cost: Infinity }, 'cost is a finite number from 0'],
    [{ cost: '3' }, 'cost is a finite number from 0, not "3"'],
    [{ alwaysActive: 'yes' }, 'alwaysActive is true or false, not "yes"'],
    [{ guide: 'often' }, 'guide is { when, examples? }, not "often"'],
    [{ guide: {} }, 'guide.when is a text that is not blank, not nothing'],
    [{ guide: { when: ' ' } }, 'guide.when is a text that is not blank, not " "'],
    [{ guide: { when: 'Often.', examples: [''] } }, 'guide.examples[0] is a text that is not blank'],
    [{ guide: { when: 'Often.', examples: 'one' } }, 'guide.examples is a list of texts'],
    [{ guide: { when: 'Often.', example: 'one' } }, 'there is no guide.example; known are when, examples'],
  ])('is refused with %j', (over, says) => {
    expect(() => defineCapability({ ...search, ...over })).toThrow(
      `capability search: ${says.startsWith('its effect') ? 'it asks a person, so ' : ''}${says}`,
    );
  });

  test('Osprey: capability guides and always active ones are kept as they are declared', () => {
    const said = { guide: { when: 'To find genes.', examples: ['search { "organism": "P. falciparum" }'] } };
    expect(defineCapability({ ...search, ...said, alwaysActive: true })).toMatchObject({ ...said, alwaysActive: true });
    expect(defineCapability(search)).not.toHaveProperty('alwaysActive');
  });

  test('that asks a person gives a question, and one that does not gives a result', () => {
    const asks = { ...search, kind: 'wait', effect: 'read' } as const;
    expect(defineCapability({ ...asks, execute: (task) => ({ text: task.arguments.organism }) })).toMatchObject({
      kind: 'wait',
    });
    expect(defineCapability({ ...search, cost: 0 })).toMatchObject({ cost: 0 });
    // @ts-expect-error: a question is asked, not a text returned.
    defineCapability({ ...asks, execute: (task: { arguments: { organism: string } }) => task.arguments.organism });
    // @ts-expect-error: without the kind a question is no text.
    defineCapability({ ...search, execute: () => ({ text: 'Which?' }) });
    // @ts-expect-error: who asks a person changes nothing.
    expect(() => defineCapability({ ...asks, effect: 'idempotent', execute: () => ({ text: 'Which?' }) })).toThrow();
  });

  test('is refused when an at-most-once effect asks for a second attempt', () => {
    expect(() => defineCapability({ ...search, effect: 'at-most-once', retry: { attempts: 2 } })).toThrow(
      'one attempt',
    );
  });
});
