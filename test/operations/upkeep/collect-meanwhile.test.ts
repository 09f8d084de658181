/** What goes and what stays, whenever something comes between. */

import { describe, expect, test } from 'vitest';
import { collect } from '../../../src/operations/upkeep/collect/index.ts';
import { createFileStore } from '../../../src/store/index.ts';
import { findFinished, planOf } from '../../../src/activities/finished.ts';
import { takeOver } from '../../../src/activities/reuse.ts';
import { age, beginAnew, clear, isThere, leave, placeOf, put, server, store } from './leftovers.ts';

beginAnew();

describe('while things change', () => {
  test.each([
    'describeNamespace',
    'listWorkflowExecutions',
    'describeWorkflowExecution',
    'getWorkflowExecutionHistory',
    'listSchedules',
  ])('a server that stops to answer at any %s ends it, and nothing is removed', async (call) => {
    await leave('gone');
    const garbage = await put('garbage');
    await age();
    server.runs.push({ workflowId: 'plan-1', isOpen: true, said: [] });
    for (let last = 1; ; last += 1) {
      let calls = 0;
      server.before = (one) => {
        if (one === call && ++calls >= last) throw Object.assign(new Error('14 UNAVAILABLE'), { code: 14 });
      };
      const ended = await clear().then(
        () => 'removed',
        (error: Error) => error.message,
      );
      if (ended === 'removed') {
        expect(last).toBeGreaterThan(1);
        return expect(await isThere(garbage)).toBe(false);
      }
      expect(ended).toMatch(/the server at 127.0.0.1:7233 does not say .*UNAVAILABLE.* Nothing was removed/);
      expect([await isThere(garbage), (await store.kept('nothing')).length]).toEqual([true, 0]);
      expect(await planOf(store, placeOf('gone'))).toBeDefined();
    }
  });

  test('a run that begins after the first look is seen by the second, and so is what an open one says meanwhile', async () => {
    const [one, other] = [await put('of the new run'), await put('said later')];
    await age();
    const said: unknown[] = [];
    server.runs.push({ workflowId: 'open', isOpen: true, said });
    let looks = 0;
    server.before = (call) => {
      if (call !== 'getWorkflowExecutionHistory' || ++looks > 1) return;
      server.runs.push({ workflowId: 'new', isOpen: true, said: [{ ref: one }] });
      queueMicrotask(() => said.push({ ref: other }));
    };
    await clear();
    expect([await isThere(one), await isThere(other)]).toEqual([true, true]);
  });

  test('a run that the server forgets while it is read is no error', async () => {
    await put('of today');
    server.runs.push({ workflowId: 'plan-1', said: [] });
    server.before = (call) => {
      if (call === 'getWorkflowExecutionHistory') server.runs.length = 0;
    };
    await clear();
  });

  test('what is put again in any moment stays', async () => {
    const refs = await Promise.all(Array.from({ length: 4 }, async (_, n) => put(`again ${n}`)));
    await leave('gone');
    await age();
    const again = createFileStore(store.place);
    const { remove } = store.inventory;
    let calls = 0;
    const racing = {
      ...store,
      inventory: {
        ...store.inventory,
        async remove(...given: Parameters<typeof remove>) {
          const n = calls++;
          await again.put(Buffer.from(`again ${n}`));
          const removed = await remove(...given);
          await again.put(Buffer.from(`again ${n + 1}`));
          return removed;
        },
      },
    };
    await collect(racing, [server.place], { remove: true });
    expect(calls).toBe(3);
    expect(await Promise.all(refs.map(isThere))).toEqual([true, true, true, true]);
  });

  test.each([0, 1, 2])(
    'a run that goes on from one that is being taken away, at step %i, has all of it or is refused',
    async (step) => {
      const { result, claim } = await leave('old');
      await age();
      const { remove } = store.inventory;
      let calls = 0;
      let outcome = '';
      const hasFinished = async () => (await findFinished(store, placeOf('old'), 'node')) !== undefined;
      const goOn = async () => {
        const own = placeOf('new');
        try {
          await takeOver('old', own, store, () => Promise.resolve({ is: 'unknown' }));
          const [kept, claimed] = [await hasFinished(), await store.bound(claim)];
          // As reuseOf does: what is taken over is stored anew, and then the plan is looked for again.
          const bytes = await store.get(result).catch(() => undefined);
          if (bytes !== undefined) await store.put(bytes);
          outcome = (await planOf(store, placeOf('old'))) === undefined ? 'refused' : 'taken';
          if (outcome === 'taken')
            expect([kept, claimed === undefined, bytes === undefined]).toEqual([true, false, false]);
        } catch {
          outcome = 'refused';
        }
      };
      const racing = {
        ...store,
        inventory: {
          ...store.inventory,
          async remove(...given: Parameters<typeof remove>) {
            if (calls++ === step) await goOn();
            return remove(...given);
          },
        },
      };
      await collect(racing, [server.place], { remove: true });
      if (outcome === 'taken') {
        expect([await isThere(result), (await store.bound(claim)) !== undefined, await hasFinished()]).toEqual([
          true,
          true,
          true,
        ]);
      } else {
        expect(step).toBeGreaterThan(0);
        await expect(
          takeOver('old', placeOf('later'), store, () => Promise.resolve({ is: 'unknown' })),
        ).rejects.toThrow(/there is no run "old"|has nothing of run/);
      }
    },
  );
});
