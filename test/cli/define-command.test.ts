/** What was typed reaches a command as values, whose types are those of its arguments and flags. */

import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { defineCommand, exitCodeOf } from '../../src/cli/define-command.ts';
import { choice, count, duration, flag, names, negated, or, required, text, texts } from '../../src/cli/options.ts';

async function typed(make: () => Command, ...args: string[]): Promise<number> {
  const program = new Command('planwright').exitOverride();
  const command = make().exitOverride();
  await program.addCommand(command).parseAsync([command.name(), ...args], { from: 'user' });
  return exitCodeOf(program);
}

describe('a command', () => {
  const look = { name: 'list', description: 'list' };
  const limit = or(20, count('at most so many'));
  const role = text('<role>', 'in which role');
  const read = defineCommand({
    ...look,
    arguments: { workflowId: 'the run', 'node?': 'a node of it' },
    flags: { limit, role },
    run: async (values) =>
      values.limit + (values.role ?? '').length + (values.node ?? '').length > 7 ? 'stale' : 'done',
  });

  test('gets its arguments and its options, and gives the exit', async () => {
    expect(await typed(read, 'plan-1')).toBe(6);
    expect(await typed(read, 'plan-1', 'n', '--limit', '3', '--role', 'lab')).toBe(0);
    expect(await typed(read, 'plan-1', 'n', '--limit', '3', '--role', 'labs')).toBe(6);
    await expect(typed(read)).rejects.toThrow("missing required argument 'workflow-id'");
  });

  test('reads what it declares, and nothing else compiles', () => {
    const done = (value: unknown) => (value === 0 ? 'stale' : 'done');
    // @ts-expect-error read and not declared
    defineCommand({ ...look, flags: { limit }, run: async ({ role: one }) => done(one) });
    // @ts-expect-error a text where a number is read
    defineCommand({ ...look, flags: { limit: role }, run: async (values) => done(values.limit * 2) });
    // @ts-expect-error nothing where something is always read
    defineCommand({ ...look, flags: { limit: count('at most') }, run: async (values) => done(values.limit * 2) });
    // @ts-expect-error an argument that may be left out
    defineCommand({ ...look, arguments: { 'node?': 'it' }, run: async ({ node }) => done(node.length) });
    // @ts-expect-error the operation takes another input
    defineCommand({ ...look, operation: 'page', input: () => ({ workflow: 'plan-1' }), show: () => '' });
  });
});

describe('the kinds of options', () => {
  const table = {
    maxDepth: count('levels'),
    agents: names('<names>', 'known agents'),
    role: texts('role', 'in which roles'),
    strand: choice('<rule>', 'which strands', ['both', 'same']),
    id: or('name', choice('<id>', 'what the id is', ['name', 'location'])),
    timeout: duration('no longer than this'),
    keyPair: flag('make a key', '-k'),
    run: negated('leave out the run'),
    conversation: required(text('<id>', 'the conversation')),
  };
  type Values = { readonly [Name in keyof typeof table]: unknown };
  let seen: Partial<Values> = {};

  async function read(...args: string[]): Promise<Partial<Values>> {
    const keep = defineCommand({
      name: 'try',
      description: 'try',
      flags: table,
      run: async (values) => {
        seen = values;
        return 'done';
      },
    });
    await typed(keep, '--conversation', 'c', ...args);
    const { conversation, output: _, color: __, ...rest } = seen as Partial<Values> & Record<string, unknown>;
    expect(conversation).toBe('c');
    return rest;
  }

  test.each<[typed: readonly string[], values: Partial<Values>]>([
    [[], {}],
    [['--max-depth', '3'], { maxDepth: 3 }],
    [['--agents', ' a,b ,,c'], { agents: ['a', 'b', 'c'] }],
    [['--role', 'operator', 'safety'], { role: ['operator', 'safety'] }],
    [['--strand', 'same', '--id', 'location'], { strand: 'same', id: 'location' }],
    [['--timeout', '90s'], { timeout: { typed: '90s', ms: 90_000 } }],
    [['--timeout', '0s'], { timeout: { typed: '0s', ms: undefined } }],
    [['-k', '--no-run'], { keyPair: true, run: false }],
  ])('%j', async (args, values) => {
    expect(await read(...args)).toEqual({ id: 'name', run: true, ...values });
  });

  test.each([
    [['--max-depth', '0'], '--max-depth: expected a whole number from 1, got "0"'],
    [['--max-depth', '1e3'], '--max-depth: expected a whole number from 1, got "1e3"'],
    [['--strand', 'left'], '--strand: expected both or same, got "left"'],
    [['--timeout', 'soon'], '--timeout: expected a duration such as 90s, 10m or 24h, got "soon"'],
  ])('%j is told with what was expected', async (args, message) => {
    await expect(read(...args)).rejects.toThrow(message);
  });
});
