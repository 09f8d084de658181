/** `planwright draft` and `planwright artifact`, which need no server. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIG, planwright, type Typed } from './planwright.ts';

const GOOD = { goal: 'Find genes', plan: { type: 'task', task: 'Find genes' } };
const WRONG = { goal: 'Find genes', plan: { type: 'combine', operator: 'UNION', left: GOOD.plan } };

interface Answer {
  readonly ok: boolean;
  readonly error?: { readonly code: string; readonly message: string; readonly reason?: string };
  readonly [member: string]: unknown;
}

function openFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'planwright-draft-'));
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
    const list = await ask(['draft', 'list']);
    expect(list).toMatchObject({ code: 0, drafts: [{ id: 'delegation_draft', revision: 2, goal: 'Find more' }] });
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

  test('keeps a plan with errors, says so and exits 3', async () => {
    const { type, ask } = openFolder();
    const text = await type(['draft', 'save', '-'], WRONG);
    expect(text).toMatchObject({ code: 3, stdout: '' });
    expect(text.stderr).toContain('error[missing-operand]');
    expect(text.stderr).toContain(
      'error[PLAN_INVALID]: saved as revision 1 of delegation_draft, entry 1, but the plan has 1 problem',
    );
    const json = await ask(['draft', 'save', '-'], WRONG);
    expect(json).toMatchObject({
      code: 3,
      ok: false,
      error: { code: 'PLAN_INVALID', issues: [{ code: 'missing-operand' }], saved: { revision: 2, errors: 1 } },
    });
    expect((await ask(['draft', 'show']))['plan']).toBe(JSON.stringify(WRONG));
  });

  test('is checked against the config that is named', async () => {
    const { ask } = openFolder();
    const stdin = { goal: 'g', plan: { type: 'task', task: 'x', capability: 'nope' } };
    const { folder } = openFolder();
    const saved = await ask(['draft', 'save', '-', '--config', CONFIG, '--store', folder], stdin);
    expect(saved).toMatchObject({ code: 3, error: { issues: [{ code: 'unknown-capability' }] } });
    expect(await ask(['draft', 'save', '-'], stdin)).toMatchObject({ code: 0 });
  });

  test.each<[string, readonly string[], unknown, number, string, string]>([
    ['a stale base', ['draft', 'save', '-', '--base', '3'], GOOD, 6, 'STALE', 'stale-draft'],
    ['no plan', ['draft', 'save', '-'], ' ', 2, 'INPUT_INVALID', 'draft-plan-required'],
    ['two goals', ['draft', 'save', '-', '--goal', 'Other'], GOOD, 2, 'INPUT_INVALID', 'invalid-entry'],
    ['no such draft', ['draft', 'show', '--draft', 'x', '--revision', '2'], '', 2, 'INPUT_INVALID', 'draft-not-found'],
    ['no draft at all', ['draft', 'show'], '', 2, 'INPUT_INVALID', 'draft-not-found'],
    ['no such artifact', ['artifact', 'show', 'plan_0'], '', 2, 'INPUT_INVALID', 'artifact-not-found'],
    ['a field that is none', ['artifact', 'save', '-'], { titel: 'x' }, 2, 'INPUT_INVALID', 'invalid-entry'],
  ])('%s is told with its reason', async (_, args, stdin, code, error, reason) => {
    expect(await openFolder().ask(args, stdin)).toMatchObject({ code, ok: false, error: { code: error, reason } });
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

  test('what is listed cannot draw on the terminal', async () => {
    const { type, ask } = openFolder();
    await ask(['draft', 'save', '-', '--draft', 'a\u001B[2Jb'], { ...GOOD, goal: 'one\ntwo\u001B[31m' });
    const { stdout } = await type(['draft', 'list']);
    expect(stdout).not.toContain('\u001B');
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test('hand-off needs a server, and says so; its flags reach the connection', async () => {
    const { ask } = openFolder();
    await ask(['draft', 'save', '-'], GOOD);
    const answer = await ask(['draft', 'hand-off', '--address', '127.0.0.1:1']);
    expect(answer).toMatchObject({ code: 2, error: { code: 'NO_SERVER' } });
    expect(answer.error?.message).toContain('127.0.0.1:1');
  });

  test('without a conversation, a subcommand or a known one is wrong usage', async () => {
    for (const args of [['draft', 'list'], ['draft'], ['artifact', 'sho', 'x']]) {
      const { code, stdout } = await planwright([...args, '-o', 'json']);
      expect({ args, code, answer: JSON.parse(stdout) as Answer }).toMatchObject({
        code: 2,
        answer: { error: { code: 'USAGE' } },
      });
    }
  });
});

describe('artifact', () => {
  test('saves, lists and shows', async () => {
    const { type, ask } = openFolder();
    const fields = { title: 'Found', summary_markdown: '- one', assumptions: ['a'], parameters: { n: 1 } };
    const saved = await type(['artifact', 'save', '-', '--by', 'operator'], fields);
    const id = saved.stdout.trim();
    expect(id).toMatch(/^plan_[0-9a-f]{12}$/);
    expect((await ask(['artifact', 'list']))['artifacts']).toMatchObject([{ id, title: 'Found', by: 'operator' }]);
    expect(await ask(['artifact', 'show', id])).toMatchObject({
      title: 'Found',
      summary: '- one',
      parameters: { n: 1 },
    });
    expect((await type(['artifact', 'show', id])).stdout).toMatch(
      /^Found\n\n- one\n\nassumptions {2}a\nparameters {3}\{/,
    );
    expect(await ask(['draft', 'show', '--draft', id])).toMatchObject({
      code: 2,
      error: { reason: 'draft-not-found' },
    });
  });

  test('is refused where the file is no JSON object', async () => {
    for (const stdin of ['', '[]', '{']) {
      expect(await openFolder().ask(['artifact', 'save', '-'], stdin)).toMatchObject({
        code: 2,
        error: { code: 'INPUT_INVALID' },
      });
    }
  });
});
