import { describe, expect, test } from 'vitest';
import { createDrafts, DRAFT_ERROR_CODES } from '../../../src/capabilities/builtin/drafts/index.ts';
import { compilePlan } from '../../../src/plan/index.ts';
import { openStore, planOf } from './rig.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const digestOf = (document: unknown) => {
  const compiled = compilePlan(document);
  return compiled.ok ? compiled.plan.digest : 'no plan';
};
const codeOf = (saving: Promise<object>) =>
  saving.then(
    () => 'ok',
    ({ code }: { readonly code: string }) => code,
  );

test('Pathfinder: artifacts have title, summary, assumptions, parameters, a proposed plan, an id and a time', async () => {
  const drafts = createDrafts(await openStore(), { now: () => NOW });
  const fields = {
    title: 'Reef genes',
    summary: '## Found\n\n- two',
    assumptions: ['human', { strict: true }],
    parameters: { fold: 2, organism: null },
    proposedPlan: planOf('x'),
  };
  const { entry } = await drafts.saveArtifact('reef', fields, { by: 'operator' });
  const head = {
    conversation: 'reef',
    number: 1,
    kind: 'artifact',
    createdAt: '2026-01-02T03:04:05.000Z',
    by: 'operator',
  };
  expect(entry).toEqual({ ...head, ...fields, id: expect.stringMatching(/^plan_[0-9a-f]{12}$/) as string });
  expect(await drafts.get('reef', entry.id)).toEqual({ entry });
});

describe('Pathfinder: drafts', () => {
  test('saving compiles, and keeps the digest beside the plan', async () => {
    const drafts = createDrafts(await openStore());
    const { entry } = await drafts.saveDraft('reef', { plan: planOf('x') });
    expect(entry).toMatchObject({ id: 'delegation_draft', revision: 1, goal: 'Find genes', errors: 0, issues: [] });
    expect(entry.digest).toBe(digestOf(planOf('x')));
    expect(entry.plan).toEqual(planOf('x'));
  });

  test('a save on a stale base is refused with the reason, and changes nothing', async () => {
    const drafts = createDrafts(await openStore());
    const save = (task: string, base: number) =>
      drafts.saveDraft('reef', { plan: planOf(task) }, { base, by: 'operator' });
    expect(await codeOf(save('a', 1))).toBe('stale-draft');
    expect(await codeOf(save('a', 0))).toBe('ok');
    expect(await codeOf(save('b', 1))).toBe('ok');
    await expect(save('c', 1)).rejects.toThrow(
      /is at revision 2, saved by operator at .* from revision 1\. .* with base 2\./,
    );
    expect(await codeOf(save('d', 0))).toBe('stale-draft');
    expect((await drafts.list('reef')).total).toBe(2);
  });

  test('of many saves on one base one wins', async () => {
    const store = await openStore();
    const saves = Array.from({ length: 12 }, (_, index) =>
      createDrafts(store).saveDraft('reef', { plan: planOf(`task ${index}`) }, { base: 0 }),
    );
    const codes = await Promise.all(saves.map(codeOf));
    expect(codes.toSorted()).toEqual(['ok', ...Array<string>(11).fill('stale-draft')]);
  });

  test('a repeated save under its key is the first one, even where its base has become stale', async () => {
    const drafts = createDrafts(await openStore());
    const save = () => drafts.saveDraft('reef', { plan: planOf('a') }, { base: 0, idempotencyKey: 'run/1/0' });
    const first = await save();
    await drafts.saveDraft('reef', { plan: planOf('b') });
    const again = await save();
    expect(again).toEqual({ ...first, repeated: true });
    expect((await drafts.list('reef')).total).toBe(2);
  });
});

describe('Pathfinder: a conversation', () => {
  test('is read back in order, heads or whole, the last so many', async () => {
    const drafts = createDrafts(await openStore());
    for (let index = 1; index <= 40; index++) {
      if (index % 2 === 0) await drafts.saveDraft('reef', { plan: planOf(`task ${index}`) });
      else await drafts.saveArtifact('reef', { title: `title ${index}`, summary: 's' });
    }
    const { entries, total } = await drafts.list('reef');
    expect(total).toBe(40);
    expect(entries.map(({ number }) => number)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(entries[0]).not.toHaveProperty('summary');
    const last = await drafts.list('reef', { kind: 'draft', limit: 2, full: true });
    expect(last).toMatchObject({ total: 20, entries: [{ plan: planOf('task 38') }, { plan: planOf('task 40') }] });
  });

  test.each([
    ['no such artifact', 'plan_000000000000', undefined, 'artifact-not-found', 'It has "plan_'],
    ['no such revision', 'delegation_draft', 7, 'draft-not-found', 'has revisions 1 to 1'],
    ['no such draft', 'nope', 1, 'draft-not-found', 'It has "delegation_draft"'],
    ['revision 0', 'delegation_draft', 0, 'draft-not-found', 'no revision number 0'],
  ])('%s is told with what there is', async (_, id, revision, code, part) => {
    const drafts = createDrafts(await openStore());
    await drafts.saveArtifact('reef', {});
    await drafts.saveDraft('reef', { plan: planOf('x') });
    await expect(drafts.get('reef', id, revision)).rejects.toMatchObject({
      message: expect.stringContaining(part) as string,
      code,
    });
    expect(DRAFT_ERROR_CODES).toContain(code);
  });
});

describe('what does not fit is refused, all at once, and nothing is kept', () => {
  const cyclic: { self?: object } = {};
  cyclic.self = cyclic;
  const trap = {
    get task() {
      throw new Error('trapped');
    },
  };
  test.each<[string, unknown, string]>([
    ['an unknown field', { plan: planOf('x'), gaol: 'g' }, 'unknown field "gaol". Did you mean "goal"?'],
    ['two names of one field', { plan: planOf('x'), notes: 'a', notesMarkdown: 'b' }, 'two names of one field'],
    ['a goal that is none', { plan: planOf('x'), goal: 7 }, 'goal: expected text, got number 7'],
    ['half a surrogate pair', { plan: planOf('x'), notes: 'x\uD800' }, 'half of a surrogate pair'],
    ['no JSON', { plan: { goal: 'g', plan: trap } }, 'plan: is no JSON value (trapped)'],
    ['a date', { plan: { goal: new Date() } }, 'plan: is no JSON value'],
    ['a goal beside another one', { plan: planOf('x'), goal: 'Find more' }, 'has a goal of its own, "Find genes"'],
    ['bytes that are no text', { plan: new Uint8Array([0xff, 0xfe]) }, 'not UTF-8'],
    ['no object', 'text', 'expected an object with goal, plan, notes'],
  ])('%s', async (_, fields, part) => {
    const drafts = createDrafts(await openStore());
    await expect(drafts.saveDraft('reef', fields as Record<string, unknown>)).rejects.toMatchObject({
      message: expect.stringContaining(part) as string,
      code: 'invalid-entry',
    });
    expect((await drafts.list('reef')).total).toBe(0);
  });
});
