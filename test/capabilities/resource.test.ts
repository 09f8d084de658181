import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineCapability } from '../../src/capabilities/index.ts';

const base = {
  name: 'set',
  description: 'Sets a magnet.',
  input: z.object({ magnet: z.string().default('magnet-1') }),
  output: 'text',
  effect: 'idempotent',
  execute: () => '',
} as const;
const executor = { kind: 'capability', name: 'set', version: '1', effect: 'idempotent' } as const;

function found(resource: string | ((given: { magnet: string }) => string), args?: object, isWhole = true) {
  const registry = createRegistry([defineCapability({ ...base, resource })]);
  return registry.resourceOf?.(executor, args as never, isWhole);
}

describe('a resource', () => {
  test('is a name, or what the arguments say, with their defaults', () => {
    expect(found('magnet-12')).toEqual({ ok: true, resource: 'magnet-12' });
    expect(found(({ magnet }) => magnet, { magnet: 'SR:C01-MG{Q:2}' })).toEqual({
      ok: true,
      resource: 'SR:C01-MG{Q:2}',
    });
    expect(found(({ magnet }) => magnet)).toEqual({ ok: true, resource: 'magnet-1' });
  });

  test('is told by nothing where a capability names none, and where the arguments do not fit', () => {
    expect(createRegistry([defineCapability(base)]).resourceOf?.(executor, {}, true)).toEqual({ ok: true });
    expect(found(({ magnet }) => magnet, { magnet: 7 })).toEqual({ ok: true });
  });

  test('cannot be told while a result is still to be put into the arguments that say it', () => {
    expect(found(({ magnet }) => magnet, {}, false)).toEqual({
      ok: false,
      reason: expect.stringContaining('the result of another step, which nobody knows yet; write it out in the plan'),
    });
    expect(found('magnet-12', {}, false)).toEqual({ ok: true, resource: 'magnet-12' });
  });

  test.each<[string, () => string]>([
    ['nothing', () => ''],
    ['a space', () => 'magnet 12'],
    ['what nobody sees', () => 'magnet\u200b12'],
    ['too much', () => 'm'.repeat(201)],
    ['no text', () => 12 as never],
  ])('%s is no name', (_, resource) => {
    expect(found(resource)).toMatchObject({ ok: false, reason: expect.stringContaining('visible ASCII characters') });
  });

  test('a function that throws is told with what it threw', () => {
    const broken = () => {
      throw new Error('no such magnet');
    };
    expect(found(broken)).toMatchObject({ ok: false, reason: expect.stringContaining('no such magnet') });
  });

  test.each<[string, object, string]>([
    ['of a read', { effect: 'read', resource: 'magnet-12' }, 'only what is written to is a resource'],
    ['that is blank', { resource: ' ' }, 'its resource is a text'],
    ['that is no text', { resource: 12 }, 'its resource is a text'],
  ])('a declaration %s is refused', (_, over, message) => {
    expect(() => defineCapability({ ...base, ...over })).toThrow(message);
  });
});
