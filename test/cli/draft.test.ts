/** `planwright draft` and `planwright artifact`, which need no server. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planwright, type Typed, type Answer } from './planwright.ts';
import { testFolder } from '../support/folders.ts';

const GOOD = { goal: 'Find genes', plan: { type: 'task', task: 'Find genes' } };

function openFolder() {
  const folder = testFolder('draft');
  const env = { PLANWRIGHT_STORE: join(folder, 'results') };
  const type = (args: readonly string[], stdin: unknown = ''): Promise<Typed> =>
    planwright([...args, '--conversation', 'reef'], {
      env,
      cwd: folder,
      stdin: typeof stdin === 'string' ? stdin : JSON.stringify(stdin),
    });
  return {
    folder,
    type,
    async ask(args: readonly string[], stdin: unknown = ''): Promise<Answer & { readonly code: number }> {
      const { code, stdout } = await type([...args, '-o', 'json'], stdin);
      return { code, ...(JSON.parse(stdout) as Answer) };
    },
  };
}

describe('draft', () => {
  test('saves revisions, lists, shows and tells the history', async () => {
    const { type, ask, folder } = openFolder();
    const file = join(folder, 'plan.json');
    writeFileSync(file, JSON.stringify(GOOD));
    const saved = await type(['draft', 'save', file, '--by', 'operator']);
    expect(saved).toMatchObject({ code: 0, stderr: '' });
    expect(saved.stdout).toMatch(/^id +delegation_draft\nrevision +1\nnumber +1\ndigest +[0-9a-f]{64}\n$/);
    expect(await ask(['draft', 'save', '-', '--base', '1'], { ...GOOD, goal: 'Find more' })).toMatchObject({
      code: 0,
      ok: true,
      revision: 2,
    });
    await ask(['artifact', 'save', '-'], { title: 'Found' });
    const list = await ask(['draft', 'history', '--kind', 'draft']);
    expect(list).toMatchObject({ code: 0, entries: [{ revision: 1 }, { revision: 2, goal: 'Find more' }] });
    expect(await ask(['draft', 'show', '--revision', '1'])).toMatchObject({
      revision: 1,
      goal: 'Find genes',
      by: 'operator',
    });
    const shown = await type(['draft', 'show']);
    expect(shown.stdout).toMatch(
      /^id +delegation_draft\nrevision +2\nnumber +2\n\nFind more\n\nnode_1 {2}.*\n\ndigest /,
    );
    const history = await type(['draft', 'history']);
    expect(history.stdout.trimEnd().split('\n')).toHaveLength(4);
    expect((await ask(['draft', 'history', '--limit', '1']))['entries']).toMatchObject([
      { kind: 'artifact', number: 3 },
    ]);
  });

  test('of ten processes at once every save is there once', async () => {
    const { ask } = openFolder();
    const saves = Array.from({ length: 10 }, (_, index) =>
      ask(['draft', 'save', '-'], { ...GOOD, goal: `goal ${index}` }),
    );
    const revisions = (await Promise.all(saves)).map(({ revision }) => Number(revision));
    const all = Array.from({ length: 10 }, (_, index) => index + 1);
    expect(revisions.toSorted((a, b) => a - b)).toEqual(all);
    const { entries } = (await ask(['draft', 'history'])) as unknown as {
      entries: readonly { number: number; goal: string }[];
    };
    expect(entries.map(({ number }) => number)).toEqual(all);
    expect(new Set(entries.map(({ goal }) => goal)).size).toBe(10);
  });
});

test('artifact saves, lists and shows', async () => {
  const { type, ask } = openFolder();
  const fields = { title: 'Found', summary_markdown: '- one', assumptions: ['a'], parameters: { n: 1 } };
  const saved = await type(['artifact', 'save', '-', '--by', 'operator'], fields);
  const id = saved.stdout.trim();
  expect(id).toMatch(/^plan_[0-9a-f]{12}$/);
  const { entries } = await ask(['draft', 'history', '--kind', 'artifact']);
  expect(entries).toMatchObject([{ id, title: 'Found', by: 'operator' }]);
  expect(await ask(['draft', 'show', id])).toMatchObject({
    title: 'Found',
    summary: '- one',
    parameters: { n: 1 },
  });
  expect((await type(['draft', 'show', id])).stdout).toMatch(
    /^id +plan_[0-9a-f]{12}\nnumber +1\n\nFound\n\n- one\n\nassumptions {2}a\nparameters {3}\{/,
  );
  const none = { code: 2, error: { reason: expect.stringMatching(/-not-found$/) as string } };
  for (const typed of [[], ['other']]) expect(await ask(['draft', 'show', ...typed])).toMatchObject(none);
});
