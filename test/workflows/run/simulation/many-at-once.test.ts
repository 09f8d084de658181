/** More answers, edits and defaults than activities work for at once: they stand in line, and all are answered in the end. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RandomPlan } from '../random-plan.ts';
import { endInSilence, waitForNext } from './last-words.ts';
import type { Spoken, World } from './model.ts';
import { say, sendAgain } from './say.ts';
import { arrive, compile, applyNode, openWorld, takeUp, wait, type Arriving } from './simulated-run.ts';
import { surroundings } from './steps.ts';

/** Nodes that ask nobody before they run, and a last one that waits for a chief, so that the plan can be edited. */
function widePlan(nodes: number): RandomPlan {
  return Array.from({ length: nodes }, (_, node) => ({
    key: `k${node}`,
    inputs: [],
    after: [],
    effect: node === nodes - 1 ? 'at-most-once' : 'read',
    name: 'find',
    cost: 0,
  }));
}

const said = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constant('answer' as const),
      pick: fc.nat({ max: 200 }),
      value: fc.nat({ max: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('edit' as const), pick: fc.nat({ max: 3 }), value: fc.nat() }),
  },
);

function spokenIn(
  { run }: World,
  { what, pick, value }: { readonly what: 'answer' | 'edit'; readonly pick: number; readonly value: number },
  at: number,
): Spoken {
  const update = at % 3 !== 0;
  const { digest } = run.state.approval;
  if (what === 'edit') {
    const edit = { fates: ['keep', 'keep', 'change'], places: [], added: [], after: [] } as const;
    return { name: 'decide', payload: { kind: 'edit', digest, by: `editor ${at}`, plan: {} }, edit, update };
  }
  const ids = Object.keys(run.state.questions);
  const by = `person ${at}`;
  return { name: 'answer', payload: { question: ids[pick % Math.max(1, ids.length)] ?? 'none', value, by }, update };
}

const happenings = fc.array(
  fc.record({
    pick: fc.nat({ max: 60 }),
    how: fc.constantFrom<Arriving[]>('there', 'there', 'there', 'invalid', 'failed'),
    also: fc.constantFrom('nothing', 'nothing', 'nothing', 'take up', 'wait', 'send again'),
  }),
  { minLength: 100, maxLength: 300, size: 'max' },
);

test('stand in line, fifty at once are worked for, and everybody is answered once', { timeout: 180_000 }, () => {
  const seen: Record<string, number> = {};
  fc.assert(
    fc.property(
      fc.integer({ min: 55, max: 130 }),
      fc.array(said, { minLength: 60, maxLength: 220, size: 'max' }),
      fc.boolean(),
      happenings,
      surroundings,
      (nodes, words, haveDefaults, happens, around) => {
        const rules = [{ effect: 'at-most-once', roles: ['chief'] }] as const;
        const options = {
          concurrency: 1000,
          lane: 'visible' as const,
          answerDeadlineMs: haveDefaults ? 500 : 100_000,
          approvalDeadlineMs: 200_000,
        };
        const world = openWorld(widePlan(nodes), rules, options, around);
        compile(world);
        const byDefault = haveDefaults ? { default: 1 } : {};
        for (let left = 3 * nodes; left > 0 && Object.keys(world.run.state.questions).length < nodes - 1; left -= 1) {
          if (world.flights.size > 0) applyNode(world, 0, { text: 'which?', ...byDefault });
          else waitForNext(world);
        }
        say(world, ...words.map((one, at) => spokenIn(world, one, at)));
        if (haveDefaults) wait(world, 500, true);
        for (const { pick, how, also } of happens) {
          arrive(world, pick, how);
          if (also === 'take up') takeUp(world);
          if (also === 'wait') wait(world, 10, true);
          if (also === 'send again') sendAgain(world, pick);
        }
        endInSilence(world);
        expect(
          [...world.sent.values()].filter(({ again, reply }) => again === undefined && reply === undefined),
        ).toEqual([]);
        for (const [what, times] of Object.entries(world.seen)) seen[what] = (seen[what] ?? 0) + times;
      },
    ),
    // Two hundred messages shrink for hours.
    { seed: 7, numRuns: 2, endOnFailure: true },
  );
  for (const what of ['stands in line', 'taken answer', 'taken edit', 'refused late stale-digest', 'went on']) {
    expect(`${what}: ${(seen[what] ?? 0) >= 2}`).toBe(`${what}: true`);
  }
});
