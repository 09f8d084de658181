import { describe, expect, test } from 'vitest';
import { createDrafts, type StartRun } from '../../../src/capabilities/builtin/drafts/index.ts';
import { BROKEN_PLAN, given, openStore, planOf } from './rig.ts';

interface Starts {
  readonly startRun: StartRun;
  readonly started: Map<string, unknown>;
}

/** What a client does with the digits of a start: the second start with them starts nothing. */
function starts(): Starts {
  const started = new Map<string, unknown>();
  const startRun: StartRun = (document, once) => {
    const workflowId = `plan-${once}`;
    if (!started.has(workflowId)) started.set(workflowId, document);
    return Promise.resolve({ ok: true, run: { workflowId } });
  };
  return { startRun, started };
}

describe('Pathfinder: handing a draft off', () => {
  test('starts a run of exactly its document, and records it', async () => {
    const drafts = createDrafts(await openStore());
    const { startRun, started } = starts();
    const { entry: draft } = given(await drafts.saveDraft('reef', { plan: planOf('x') }));
    const { entry } = given(await drafts.handOff('reef', { by: 'operator', instructions: 'soon' }, startRun));
    expect([...started]).toEqual([[entry.workflowId, planOf('x')]]);
    expect(entry).toMatchObject({
      kind: 'handed-off',
      id: entry.workflowId,
      draft: draft.id,
      revision: 1,
      digest: draft.digest,
      by: 'operator',
      instructions: 'soon',
      number: 2,
    });
    expect(entry.workflowId).toMatch(/^plan-[0-9a-f]{16}$/);
    expect(given(await drafts.list('reef', { kind: 'handed-off' })).entries).toEqual([entry]);
    expect(given(await drafts.get('reef', entry.workflowId)).entry).toEqual(entry);
  });

  test('twice starts one run', async () => {
    const drafts = createDrafts(await openStore());
    const { startRun, started } = starts();
    await drafts.saveDraft('reef', { plan: planOf('x') });
    const first = given(await drafts.handOff('reef', {}, startRun));
    const second = given(await drafts.handOff('reef', {}, () => Promise.reject(new Error('not again'))));
    expect(second).toEqual({ ...first, repeated: true });
    expect(started.size).toBe(1);
  });

  test('by many at once starts one run and is recorded once', async () => {
    const store = await openStore();
    const { startRun, started } = starts();
    await createDrafts(store).saveDraft('reef', { plan: planOf('x') });
    await Promise.all(Array.from({ length: 10 }, () => createDrafts(store).handOff('reef', {}, startRun)));
    expect(started.size).toBe(1);
    expect(given(await createDrafts(store).list('reef', { kind: 'handed-off' })).total).toBe(1);
  });

  test('that a crash cut in two is completed with the same run', async () => {
    const drafts = createDrafts(await openStore());
    const { startRun, started } = starts();
    await drafts.saveDraft('reef', { plan: planOf('x') });
    const crashing: StartRun = async (document, once) => {
      await startRun(document, once);
      throw new Error('killed');
    };
    await expect(drafts.handOff('reef', {}, crashing)).rejects.toThrow('killed');
    const { entry } = given(await drafts.handOff('reef', {}, startRun));
    expect([...started.keys()]).toEqual([entry.workflowId]);
  });

  test('names a draft and a revision; equal plans of two revisions are two runs', async () => {
    const drafts = createDrafts(await openStore());
    const { startRun, started } = starts();
    for (const task of ['a', 'b', 'a']) await drafts.saveDraft('reef', { plan: planOf(task) }, { draft: 'mine' });
    await drafts.saveDraft('reef', { plan: planOf('other') }, { draft: 'yours' });
    for (const revision of [1, 3]) given(await drafts.handOff('reef', { draft: 'mine', revision }, startRun));
    expect(given(await drafts.handOff('reef', { draft: 'mine' }, startRun))).toMatchObject({ repeated: true });
    given(await drafts.handOff('reef', {}, startRun));
    expect([...started.values()]).toEqual([planOf('a'), planOf('a'), planOf('other')]);
  });

  test('the same draft of two conversations is two runs', async () => {
    const drafts = createDrafts(await openStore(), { now: () => 0 });
    const { startRun, started } = starts();
    for (const conversation of ['reef', 'lagoon']) {
      await drafts.saveDraft(conversation, { plan: planOf('x') });
      given(await drafts.handOff(conversation, {}, startRun));
    }
    expect(started.size).toBe(2);
  });

  test('with errors is refused with the issues', async () => {
    const drafts = createDrafts(await openStore());
    const { startRun, started } = starts();
    await drafts.saveDraft('reef', { plan: BROKEN_PLAN });
    const answer = await drafts.handOff('reef', {}, startRun);
    expect(answer).toMatchObject({ ok: false, code: 'draft-invalid', issues: [{ code: 'missing-operand' }] });
    expect(started.size).toBe(0);
    expect(given(await drafts.list('reef')).total).toBe(1);
  });

  test('whose plan the project refuses is refused, and not recorded', async () => {
    const drafts = createDrafts(await openStore());
    await drafts.saveDraft('reef', { plan: planOf('x') });
    const issue = { code: 'no-executor', severity: 'error', path: '$.plan', message: 'none' } as const;
    const answer = await drafts.handOff('reef', {}, () => Promise.resolve({ ok: false, issues: [issue] }));
    expect(answer).toMatchObject({ ok: false, code: 'draft-invalid', issues: [issue] });
    expect(given(await drafts.list('reef', { kind: 'handed-off' })).total).toBe(0);
  });

  test('of a goal that the draft does not have is refused', async () => {
    const drafts = createDrafts(await openStore());
    const { startRun, started } = starts();
    await drafts.saveDraft('reef', { plan: planOf('x') });
    expect(await drafts.handOff('reef', { goal: 'Another' }, startRun)).toMatchObject({ code: 'invalid-entry' });
    given(await drafts.handOff('reef', { goal: ' Find genes ' }, startRun));
    expect(started.size).toBe(1);
  });

  test('where there is none is refused', async () => {
    const drafts = createDrafts(await openStore());
    await drafts.saveArtifact('reef', {});
    for (const request of [{}, { draft: 'mine' }]) {
      expect(await drafts.handOff('reef', request, starts().startRun)).toMatchObject({ code: 'draft-not-found' });
    }
  });

  test('does not let a draft take the name of a run', async () => {
    const drafts = createDrafts(await openStore());
    await drafts.saveDraft('reef', { plan: planOf('x') });
    const { entry } = given(await drafts.handOff('reef', {}, starts().startRun));
    const answer = await drafts.saveDraft('reef', { plan: planOf('y') }, { draft: entry.workflowId });
    expect(answer).toMatchObject({ ok: false, code: 'invalid-entry' });
  });
});
