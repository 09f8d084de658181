/** The list of demos is the folders that there are. */

import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEMOS } from '../../examples/index.ts';
import { commandLines } from '../../examples/words.ts';
import type { Backstage } from '../../examples/stage/index.ts';
import { BACKSTAGE } from '../../src/cli/backstage.ts';
import { DEMO_NAMES, findDemo } from '../../src/config/project/index.ts';

test('every demo is in the list: a folder with a plan', () => {
  const files = readdirSync(new URL('../../examples', import.meta.url), { recursive: true, encoding: 'utf8' });
  const names = files.flatMap((file) => /^([^/]+)\/plan\.json$/.exec(file)?.[1] ?? []);
  expect(DEMOS.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

describe.each(DEMOS)('$name', ({ name, load }) => {
  test('goes by its name, and has a story', async () => {
    const demo = await load();
    expect(demo.name).toBe(name);
    expect(await demo.loadStory()).toBeTypeOf('function');
  });
});

test('the command knows the names in their order, before it loads any', () => {
  expect(DEMOS.map(({ name }) => name)).toEqual(DEMO_NAMES);
});

test('the command gives what a story takes', () => {
  const given: Backstage = BACKSTAGE;
  expect(Object.values(given).filter((one) => typeof one !== 'function')).toEqual([]);
});

test('a name that is none is told with those that are', async () => {
  expect(await findDemo('nope')).toEqual({
    ok: false,
    message: 'there is no demo "nope"; known are gene-strategies, control-room, agents, market-sizing',
  });
});

test.each<[command: string, lines: readonly string[]]>([
  ['npx planwright list', ['npx planwright list']],
  ['npx planwright run my-plan.json --demo agents', ['npx planwright run \\', '  my-plan.json --demo \\', '  agents']],
  ['npx planwright list   # what there is, and more', ['# what there is, and more', 'npx planwright list']],
])('a command is broken so that a shell takes it: %s', (command, lines) => {
  expect(commandLines(command, 24)).toEqual(lines);
});
