/** Long text in pages: the plan shape of a long plan, and what a run carries over to its next history. */

import { readFile, writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pagesOf } from '../../src/protocol/index.ts';
import { ids } from '../support/capabilities.ts';
import { combine, idsOf } from '../support/plans.ts';
import { failureOf, openActivities } from './rig.ts';

/** Code units of a page: at most 1 MiB of UTF-8, where each takes 3 bytes. */
const PAGE = 349_000;

/** So many tasks with long words, joined in pairs. */
function longPlan(tasks: number): object {
  let level: object[] = Array.from({ length: tasks }, (_, i) => ({
    ...idsOf(`${i}`),
    task: `${i} 🧬 ${'long '.repeat(20)}`,
  }));
  while (level.length > 1) {
    level = level.flatMap((left, i) => {
      const right = level[i + 1];
      return i % 2 === 1 ? [] : [right === undefined ? left : combine('UNION', left, right)];
    });
  }
  return { goal: 'Read much', plan: level[0] };
}

describe('text in pages', () => {
  const units = fc.constantFrom('a', 'é', '中', '🧬');
  test('is the text again when they are joined, with no character cut in two', () => {
    const texts = fc.tuple(fc.array(units, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 1_500_000 }));
    fc.assert(
      fc.property(texts, fc.nat({ max: 3 }), ([some, length], shift) => {
        const text = 'x'.repeat(shift) + some.join('').repeat(Math.ceil(length / some.length));
        const pages = pagesOf(text);
        expect(pages.join('') === text).toBe(true);
        for (const page of pages) {
          expect(page.length > 0 && page.length <= PAGE && !/\p{Cs}/u.test(page)).toBe(true);
          expect(Buffer.byteLength(page)).toBeLessThanOrEqual(2 ** 20);
        }
        // Not more of them than are needed.
        expect(pages.length).toBe(Math.max(pages.length - 1, Math.ceil(text.length / PAGE)));
      }),
      { seed: 1, numRuns: 60 },
    );
  });
});

test('the plan shape of a plan comes in pages where it is longer than half a million characters, and is the same', async () => {
  const rig = await openActivities([ids]);
  const limits = { nodes: 20_000, depth: 100 };
  const reply = await rig.call('compilePlan', { source: { document: longPlan(5000) }, limits });
  if (!reply.ok || !('pages' in reply)) throw new Error('expected pages');
  expect(reply).not.toHaveProperty('planShape');
  expect(JSON.stringify(reply).length).toBeLessThan(2000);
  const texts = await Promise.all(reply.pages.map(async (ref) => (await rig.call('loadPages', { ref })).page));
  expect(texts.length).toBeGreaterThan(1);
  expect(texts.join('').length).toBeGreaterThan(500_000);
  const planShape = await rig.shapeOf(reply);
  expect(JSON.stringify(planShape)).toBe(texts.join(''));
  expect([planShape.goal, planShape.inputs.length, planShape.root]).toEqual(['Read much', 9999, 9998]);
  // What it names is there to be run.
  const request = { revision: planShape.revisionRef, nodeId: 'node_1', inputs: [] };
  expect(await rig.call('runTask', request)).toMatchObject({ kind: 'set', count: 1 });
  // Written once more, it is the same pages.
  expect(await rig.call('compilePlan', { source: { document: longPlan(5000) }, limits })).toEqual(reply);
});

describe('what a run carries over', () => {
  test('is saved in pages, in order, and loaded again by each reference', async () => {
    const rig = await openActivities([]);
    const pages = ['first 🧬', '', 'x'.repeat(PAGE), 'first 🧬'];
    const { refs } = await rig.call('savePages', { pages });
    expect(refs).toHaveLength(4);
    expect(refs[3]).toBe(refs[0]);
    const loaded = await Promise.all(
      refs.map(async (ref) => (await rig.call('loadPages', { ref }, { fresh: true })).page),
    );
    expect(loaded).toEqual(pages);
    expect(await rig.call('savePages', { pages: [] })).toEqual({ refs: [] });
  });

  test.each([
    ['changed', 'ResultCorrupt'],
    ['no reference', 'InvalidInput'],
  ])('fails for good where it is %s', async (what, type) => {
    const rig = await openActivities([]);
    const { refs } = await rig.call('savePages', { pages: ['as it was'] });
    const [ref = ''] = refs;
    const path = rig.fileOf(ref);
    await writeFile(path, `${await readFile(path, 'utf8')}.`);
    const given = what === 'changed' ? ref : '../plan';
    expect(await failureOf(rig.call('loadPages', { ref: given }))).toMatchObject({ type, nonRetryable: true });
  });
});
