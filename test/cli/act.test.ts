/** Commands declare what their actions read, and get what was typed as values. */

import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { act, exitCodeOf, type Action } from '../../src/cli/act.ts';
import type { GlobalOptions } from '../../src/cli/global-options.ts';
import {
  choice,
  choiceOr,
  count,
  countOr,
  duration,
  flag,
  names,
  negated,
  requiredText,
  text,
  texts,
} from '../../src/cli/options/index.ts';

interface Read {
  readonly limit: number;
  readonly role?: string | undefined;
}

const action: Action<Read & GlobalOptions> = async ({ limit, role }) => limit + (role ?? '').length;
const load = async () => action;
const limit = countOr(20, 'at most so many');
const role = text('<role>', 'in which role');

async function typed(command: Command, ...args: string[]): Promise<number> {
  const program = new Command('planwright').exitOverride();
  await program.addCommand(command).parseAsync([command.name(), ...args], { from: 'user' });
  return exitCodeOf(program);
}

describe('a command declares what its action reads', () => {
  test('and nothing else compiles', () => {
    const command = () => new Command('list');
    act(command(), { limit, role }, load);
    // @ts-expect-error read and not declared
    act(command(), { limit }, load);
    // @ts-expect-error declared and not read
    act(command(), { limit, role, open: flag('only those that have not ended') }, load);
    const more = { limit, role, open: flag('only those that have not ended') };
    // @ts-expect-error the same, from a table that was made before
    act(command(), more, load);
    // @ts-expect-error a text where a number is read
    act(command(), { limit: text('<n>', 'at most so many'), role }, load);
    // @ts-expect-error nothing where something is always read
    act(command(), { limit: count('at most so many'), role }, load);
  });

  test('and what was typed reaches it as values', async () => {
    expect(await typed(act(new Command('list'), { limit, role }, load))).toBe(20);
    expect(await typed(act(new Command('list'), { limit, role }, load), '--limit', '3', '--role', 'lab')).toBe(6);
  });
});

describe('the kinds of options', () => {
  const table = {
    maxDepth: count('levels'),
    agents: names('<names>', 'known agents'),
    role: texts('role', 'in which roles'),
    strand: choice('<rule>', 'which strands', ['both', 'same']),
    id: choiceOr('name', '<id>', 'what the id is', ['name', 'location']),
    timeout: duration('no longer than this'),
    keyPair: flag('make a key', '-k'),
    run: negated('leave out the run'),
    conversation: requiredText('<id>', 'the conversation'),
  };
  type Values = { readonly [Name in keyof typeof table]: unknown };
  let seen: Partial<Values> = {};

  async function read(...args: string[]): Promise<Partial<Values>> {
    const keep: Action<Values & GlobalOptions> = async (values) => {
      seen = values;
      return 0;
    };
    await typed(
      act(new Command('try').exitOverride(), table, async () => keep),
      '--conversation',
      'c',
      ...args,
    );
    const { conversation, ...rest } = seen;
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
