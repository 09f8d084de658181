/** What was typed reaches a command as values, whose types are those of its arguments and flags. */

import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { defineCommand, exitCodeOf } from '../../src/cli/define-command.ts';
import { count, duration, flag, negated, or, text, texts } from '../../src/cli/options.ts';

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
  });
});

test.each([
  [['--role', 'operator', 'safety'], { role: ['operator', 'safety'], run: true }],
  [['--timeout', '90s'], { timeout: { typed: '90s', ms: 90_000 }, run: true }],
  [['--timeout', '0s'], { timeout: { typed: '0s', ms: undefined }, run: true }],
  [['-k', '--no-run'], { keyPair: true, run: false }],
])('%j is read by the kinds of options', async (args, values) => {
  const kinds = { role: texts('role', 'roles'), timeout: duration('so long'), keyPair: flag('a key', '-k') };
  let seen: object = {};
  const run = async (all: object) => ((seen = all), 'done' as const);
  await typed(
    defineCommand({ name: 'try', description: 'try', flags: { ...kinds, run: negated('no run') }, run }),
    ...args,
  );
  expect(seen).toEqual(values);
});
