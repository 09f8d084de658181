/** A plan that nobody says anything about ends the same in both lanes, whatever ends when. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lane, OnFailure } from '../../../../src/protocol/index.ts';
import { endingOf } from '../../../../src/workflows/run/ending.ts';
import { progressOf, refsOf } from '../make-run.ts';
import { plans, type RandomPlan } from '../random-plan.ts';
import { isPiece, landPiece } from './parts.ts';
import { compile, applyNode, openWorld } from './simulated-run.ts';

/** What has a cost is in no part. */
const FREE = plans.map((plan) => plan.map((node) => ({ ...node, cost: 0 })));
/** No node of a random plan is as dear, so that nobody is asked. */
const ASKS_NOBODY = [{ minCost: 99 }];

/** @param broken by node: whether it fails @param picks which of the nodes under way ends next */
function ended(
  plan: RandomPlan,
  lane: Lane,
  onFailure: OnFailure,
  broken: readonly boolean[],
  picks: readonly number[],
) {
  const options = { lane, onFailure, concurrency: 2, approvalDeadlineMs: 1e6, answerDeadlineMs: 1e6 };
  const world = openWorld(plan, ASKS_NOBODY, options);
  compile(world);
  const endings = plan.map((_, node) => (broken[node] === true ? ('failed' as const) : ('succeeded' as const)));
  for (let step = 0; world.flights.size > 0; step += 1) {
    expect(step).toBeLessThan(200);
    const flights = [...world.flights.values()];
    const pick = picks[step % picks.length] ?? 0;
    const at = pick % flights.length;
    const flight = flights[at]!;
    const endingOfKey = ({ key = '' }: { readonly key?: string }) => endings[Number(key.slice(1))] ?? 'succeeded';
    if (isPiece(flight)) landPiece(world, flight, pick, (piece) => endingOfKey(piece) === 'succeeded');
    else applyNode(world, at, endingOfKey(flight));
  }
  const { status, handles } = progressOf(world.run);
  return {
    parts: world.seen['started in a part'] ?? 0,
    end: { status, refs: refsOf(handles), ending: endingOf(world.run).ok, ended: world.ended },
  };
}

test('a plan has the same results in both lanes', { timeout: 180_000 }, () => {
  let parts = 0;
  fc.assert(
    fc.property(
      FREE,
      fc.constantFrom<OnFailure[]>('fail', 'partial'),
      fc.array(fc.constantFrom(false, false, false, true), { minLength: 7, maxLength: 7 }),
      fc.array(fc.nat(99), { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(99), { minLength: 1, maxLength: 20 }),
      (plan, onFailure, broken, picks, others) => {
        const visible = ended(plan, 'visible', onFailure, broken, picks);
        const together = ended(plan, 'parts', onFailure, broken, others);
        expect(together.end).toEqual(visible.end);
        expect([visible.parts, together.end.ended]).toEqual([0, true]);
        parts += together.parts;
      },
    ),
    { seed: 20260104, numRuns: 150 },
  );
  expect(parts).toBeGreaterThan(60);
});
