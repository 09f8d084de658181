/** Tools of other libraries that cannot be used, and options that say nothing sound of them: each is named, with what to do. */

import { jsonSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fromTools, type ForeignTool } from '../../src/capabilities/builtin/index.ts';

const VERSION = '2.1.0';
const ANY = { version: VERSION, effects: { '*': 'at-most-once' } } as const;
const echo = { execute: (args: unknown) => args };

describe('what cannot be used', () => {
  const throws = () => {
    throw new Error('the network is down');
  };
  const READ_ALL = { '*': 'read' } as never;
  test.each<[what: string, tools: unknown, options: unknown, why: RegExp]>([
    [
      'two tools of one name',
      [
        { ...echo, name: 'a' },
        { ...echo, name: 'a' },
      ],
      ANY,
      /a: two tools have this name/,
    ],
    ['a tool of a list without a name', [echo], ANY, /\[0\]: .*a name is letters/],
    ['a name that no plan can have', { 'a b': echo }, ANY, /a b: capability "a b": a name is letters/],
    ['no execute', { a: { description: '' } }, ANY, /a: it has no execute, so that only its model provider can run it/],
    ['no tool', { a: undefined, b: 1 }, ANY, /a: it is .*expected a tool\n.*b: it is/],
    [
      'a description that is made for each call',
      { a: { ...echo, description: () => 'x' } },
      ANY,
      /a: its description is .*expected a text/,
    ],
    ['a promise of tools', Promise.resolve({ a: echo }), ANY, /got a promise; wait for it/],
    ['no tools at all', 'tools', ANY, /expected tools as an object by their names/],
    [
      'a getter that throws',
      {
        get a(): ForeignTool {
          return throws();
        },
      },
      ANY,
      /a: the network is down/,
    ],
    ['a schema that throws', { a: { ...echo, inputSchema: throws } }, ANY, /a: the network is down/],
    [
      'a schema that is a promise',
      { a: { ...echo, inputSchema: jsonSchema(Promise.resolve({ type: 'object' }) as never) } },
      ANY,
      /a: its input schema is a promise/,
    ],
    [
      'a schema that is none',
      { a: { ...echo, inputSchema: 7 } },
      ANY,
      /a: its input schema is .*7; expected a zod schema/,
    ],
    [
      'a schema that ajv cannot read',
      { a: { ...echo, inputSchema: { type: 'object', properties: { n: { type: 'nubmer' } } } } },
      ANY,
      /a: its input schema cannot be used: /,
    ],
    [
      'a reference to nowhere',
      { a: { ...echo, inputSchema: { type: 'object', $ref: 'https://example.org/s.json' } } },
      ANY,
      /a: its input schema cannot be used: /,
    ],
    [
      'a schema without JSON Schema',
      { a: { ...echo, inputSchema: z.object({ at: z.date() }) } },
      ANY,
      /a: .*Date cannot be represented/,
    ],
    [
      'arguments without names',
      { a: { ...echo, inputSchema: z.string() } },
      ANY,
      /a: its input is .*string.*; expected an object/,
    ],
    [
      'reads by the star',
      { a: echo },
      { version: VERSION, effects: READ_ALL },
      /effects\['\*'\] is 'read'; name each tool that reads/,
    ],
    [
      'an unknown effect',
      { a: echo },
      { version: VERSION, effects: { a: 'write' } },
      /effects\["a"\] is .*write.*; expected 'read'/,
    ],
    [
      'an effect of no tool',
      { a: echo },
      { version: VERSION, effects: { a: 'read', b: 'read' } },
      /effects names "b"; the tools are "?a/,
    ],
    ['an inherited name', { toString: echo }, { version: VERSION, effects: {} }, /effects lacks 1 of 1/],
    ['no effects', { a: echo }, { version: VERSION }, /effects is .*; expected an object/],
    ['no version', { a: echo }, { effects: { a: 'read' } }, /version is .*; expected 1 to 64/],
    ['a version with a line break', { a: echo }, { version: '1\n2', effects: { a: 'read' } }, /version is /],
  ])('%s', (_, tools, options, why) => {
    expect(() => fromTools(tools as never, options as never)).toThrow(why);
  });

  test('every problem is named at once, and long texts are cut', () => {
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`t${at}`, { execute: 'x'.repeat(10_000) }]),
    );
    const error = (() => {
      try {
        return (fromTools(many as never, ANY), '');
      } catch (thrown) {
        return String(thrown);
      }
    })();
    expect(error.split('\n')).toHaveLength(52);
    expect(error).toContain('and 150 more');
    expect(error.length).toBeLessThan(20_000);
  });
});
