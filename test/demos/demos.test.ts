import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DEMOS, loadDemo } from '../../src/cli/demo/demos.ts';
import { loadStory } from '../../src/cli/demo/story.ts';

test('every demo is in the list', () => {
  const folders = readdirSync(new URL('../../src/demos', import.meta.url), { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(DEMOS.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

describe.each(DEMOS.map(({ name }) => name))('%s', (name) => {
  test('goes by its name, and has a story', async () => {
    expect((await loadDemo(name)).name).toBe(name);
    expect(await loadStory(name)).toBeTypeOf('function');
  });
});

test.each([loadDemo, loadStory])('a name that is none is refused', async (load) => {
  await expect(load('nope')).rejects.toThrow(RangeError);
});
