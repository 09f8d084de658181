import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createDrafts } from '../../../src/capabilities/builtin/drafts/index.ts';
import { createFileStore, type Store } from '../../../src/store/index.ts';
import { openStore, planOf } from './rig.ts';

test('two writers of 50 parallel saves every one is there once, numbered without gaps', async () => {
  const { place } = await openStore();
  // One clock and equal contents: nothing but their keys tells the entries apart.
  const writers = Array.from({ length: 50 }, () => createDrafts(createFileStore(place), { now: () => 0 }));
  const saved = await Promise.all(
    writers.map(async (drafts, index) => {
      if (index % 2 === 0) return (await drafts.saveArtifact('reef', { title: 'same' })).entry;
      return (await drafts.saveDraft('reef', { plan: planOf('same') })).entry;
    }),
  );
  const { entries } = await createDrafts(createFileStore(place)).list('reef');
  const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
  expect(entries.map(({ number }) => number)).toEqual(numbers);
  expect(saved.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual(numbers);
  const artifacts = saved.filter(({ kind }) => kind === 'artifact').map(({ id }) => id);
  expect(new Set(entries.filter(({ kind }) => kind === 'artifact').map(({ id }) => id))).toEqual(new Set(artifacts));
  const revisions = entries.flatMap((entry) => (entry.kind === 'draft' ? [entry.revision] : []));
  expect(revisions).toEqual(numbers.slice(0, 25));
});

describe('a crash', () => {
  test('before an entry is stored leaves nothing', async () => {
    const store = await openStore();
    const put: Store['put'] = (key, bytes) =>
      key.includes('/entries/') ? Promise.reject(new Error('killed')) : store.put(key, bytes);
    const crashing = { ...store, put };
    await expect(createDrafts(crashing).saveDraft('reef', { plan: planOf('lost') })).rejects.toThrow('killed');
    const drafts = createDrafts(store);
    expect((await drafts.list('reef')).total).toBe(0);
    await drafts.saveDraft('reef', { plan: planOf('kept') });
    expect(await drafts.list('reef', { full: true })).toMatchObject({ total: 1, entries: [{ number: 1 }] });
  });

  test('after an entry got its place is repeated under its key without a second entry', async () => {
    const store = await openStore();
    const put: Store['put'] = async (key, bytes) => {
      const isNew = await store.put(key, bytes);
      if (key.includes('/entries/')) throw new Error('killed');
      return isNew;
    };
    const crashing = { ...store, put };
    const save = (from: typeof store) =>
      createDrafts(from).saveDraft('reef', { plan: planOf('x') }, { idempotencyKey: 'run/1' });
    await expect(save(crashing)).rejects.toThrow('killed');
    expect(await save(store)).toMatchObject({ repeated: true, entry: { number: 1, revision: 1 } });
    expect((await createDrafts(store).list('reef')).total).toBe(1);
  });
});

test('conversation ids properties: any well-formed text is an id, and reads back what it was given', async () => {
  const drafts = createDrafts(await openStore());
  const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter((text) => text.trim() !== '');
  await fc.assert(
    fc.asyncProperty(id, async (conversation) => {
      const { entry } = await drafts.saveArtifact(conversation, { title: 't' });
      expect((await drafts.get(conversation, entry.id)).entry).toEqual(entry);
    }),
    { seed: 16, numRuns: 25 },
  );
});
