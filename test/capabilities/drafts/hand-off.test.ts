import { describe, expect, test } from 'vitest';
import { createDrafts, type StartRun } from '../../../src/capabilities/builtin/drafts/index.ts';
import { BROKEN_PLAN, openStore, planOf } from './rig.ts';

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
    const { entry: draft } = await drafts.saveDraft('reef', { plan: planOf('x') });
    const { entry } = await drafts.handOff('reef', { by: 'operator', instructions: 'soon' }, startRun);
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
    expect((await drafts.list('reef', { kind: 'handed-off' })).entries).toEqual([entry]);
    expect((await drafts.get('reef', entry.workflowId)).entry).toEqual(entry);
  });

  test('by many at once starts one run and is recorded once', async () => {
    const store = await openStore();
    const { startRun, started } = starts();
    await createDrafts(store).saveDraft('reef', { plan: planOf('x') });
    await Promise.all(Array.from({ length: 10 }, () => createDrafts(store).handOff('reef', {}, startRun)));
    expect(started.size).toBe(1);
    expect((await createDrafts(store).list('reef', { kind: 'handed-off' })).total).toBe(1);
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
    const { entry } = await drafts.handOff('reef', {}, startRun);
    expect([...started.keys()]).toEqual([entry.workflowId]);
  });

  test('with errors is refused with the issues', async () => {
    const drafts = createDrafts(await openStore());
    const { startRun, started } = starts();
    await drafts.saveDraft('reef', { plan: BROKEN_PLAN });
    const invalid = { code: 'draft-invalid', issues: [{ code: 'missing-operand' }] };
    await expect(drafts.handOff('reef', {}, startRun)).rejects.toMatchObject(invalid);
    expect(started.size).toBe(0);
    expect((await drafts.list('reef')).total).toBe(1);
  });

  test('of a goal that the draft does not have is refused', async () => {
    const drafts = createDrafts(await openStore());
    const { startRun, started } = starts();
    await drafts.saveDraft('reef', { plan: planOf('x') });
    const other = drafts.handOff('reef', { goal: 'Another' }, startRun);
    await expect(other).rejects.toMatchObject({ code: 'invalid-entry' });
    await drafts.handOff('reef', { goal: ' Find genes ' }, startRun);
    expect(started.size).toBe(1);
  });
});
