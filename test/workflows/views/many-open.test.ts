/** Thousands of things that wait for people at once: how often a turn, and all that is shown after it, looks at each. */

import { expect, test } from 'vitest';
import type { NodeEnd, RunOptions } from '../../../src/protocol/index.ts';
import { detailsOf } from '../../../src/workflows/views/details.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { rolesWaitedFor } from '../../../src/workflows/views/openings.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import { openedRun, BROKE, bring, landed, turn, underWay, wideSlice } from '../run/make-run.ts';

const MANY = 8000;
const OPEN = { approval: { rules: [{ capability: 'none' }] }, concurrency: 2 * MANY, lane: 'visible' } as const;

/** A map that counts how many entries were looked at one after the other. */
class CountedMap<K, V> extends Map<K, V> {
  looked = 0;
  *#counted<T>(all: Iterable<T>): MapIterator<T> {
    for (const one of all) {
      this.looked += 1;
      yield one;
    }
  }
  override values(): MapIterator<V> {
    return this.#counted(super.values());
  }
  override keys(): MapIterator<K> {
    return this.#counted(super.keys());
  }
  override entries(): MapIterator<[K, V]> {
    return this.#counted(super.entries());
  }
  override [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#counted(super[Symbol.iterator]());
  }
}

/** The first half of the nodes asks, each a role of its own; the other half has failed and waits to be settled. */
function openRun(options: Partial<RunOptions> = {}) {
  const run = openedRun(wideSlice(2 * MANY), { ...OPEN, onFailure: 'ask', ...options });
  turn(run);
  const failed: NodeEnd = { ...BROKE, status: 'failed' };
  for (const [id, work] of [...run.work]) {
    if (work.kind !== 'node') continue;
    if (work.node < MANY) landed(run, id, { asks: { text: 'which?', roles: [`role ${work.node}`] } });
    else bring(run, work.node, failed);
  }
  const questions = new CountedMap(run.dialogue.questions);
  const settling = new CountedMap(run.execution!.settling);
  run.dialogue = { ...run.dialogue, questions };
  run.execution = { ...run.execution!, settling };
  return { run, questions, settling };
}

test('with 8,000 questions and 8,000 nodes to settle a turn looks at each a few times, and so does each thing that is shown', () => {
  const { run, questions, settling } = openRun();
  expect([underWay(run), questions.size, settling.size]).toEqual([[], MANY, MANY]);
  const looked: Record<string, number> = {};
  const before = process.cpuUsage();
  for (const [what, act] of Object.entries({
    turn: () => turn(run),
    details: () => detailsOf(run),
    roles: () => rolesWaitedFor(run),
    status: () => statusOf(run),
    page: () => questionsOf(run, { limit: 100 }),
  })) {
    [questions.looked, settling.looked] = [0, 0];
    act();
    looked[what] = (questions.looked + settling.looked) / (2 * MANY);
  }
  const { user, system } = process.cpuUsage(before);
  console.info(
    `a turn with ${2 * MANY} open items, and all that is shown: ${Math.round((user + system) / 1000)} ms of CPU`,
  );
  // Counted: deadlines twice; the rest once each, but for the first few of a list.
  expect(Object.keys(looked).filter((what) => looked[what]! > 2.1)).toEqual([]);
  expect(looked['page']).toBeLessThan(0.02);
});
