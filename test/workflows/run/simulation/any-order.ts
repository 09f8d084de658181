/** Random runs, told random things in random order, carried over at random: what is claimed of every run holds of each. */

import fc from 'fast-check';
import { CONTROL_ACTIONS, type ApprovalRule, type RunOptions } from '../../../../src/protocol/index.ts';
import { plans } from '../random-plan.ts';
import { endInSilence, openTheGate } from './last-words.ts';
import { compile, openWorld } from './simulated-run.ts';
import { ANY, surroundings, type Step } from './steps.ts';

/** The rules, the options and the steps of random runs. */
export interface Course {
  readonly rules: fc.Arbitrary<readonly ApprovalRule[]>;
  readonly options: fc.Arbitrary<Partial<RunOptions>>;
  readonly steps: fc.Arbitrary<Step[]>;
}

/**
 * A run starts what is covered, once, and nothing else; refuses without effect; can always be decided and always ends.
 * @param sequences how many random runs
 * @returns how often each thing was reached
 */
export function tryAnyOrder(sequences: number, course: Course = ANY): Readonly<Record<string, number>> {
  const seen: Record<string, number> = {};
  fc.assert(
    fc.property(
      plans,
      course.rules,
      course.options,
      fc.nat({ max: 3 }),
      course.steps,
      fc.boolean(),
      surroundings,
      (plan, asks, bounds, early, all, decided, around) => {
        const world = openWorld(plan, asks, bounds, around);
        for (const step of all.slice(0, early)) step(world);
        compile(world);
        for (const step of all.slice(early)) step(world);
        if (decided) openTheGate(world);
        endInSilence(world);
        for (const [what, times] of Object.entries(world.seen)) seen[what] = (seen[what] ?? 0) + times;
      },
    ),
    { seed: 20260102, numRuns: sequences },
  );
  return seen;
}

/** Of runs whose plans are made anew: without these the property would hold of too little. */
export const REACHED_ANEW = [
  ...['planned anew: write', 'planned anew: fallback', 'made anew', 'made anew, as a fallback'],
  ...['made anew: running', 'made anew: awaiting-approval', 'what the planner has is not used'],
  ...['the planner has no plan', 'the planner has no model', 'the planner has a question'],
  ...['the planner has a broken worker', 'planned anew: select', 'the planner has nothing selected'],
];

export const REACHED = [
  ...['started', 'started above read', 'deadline', 'landed question', 'landed uncertain', 'landed cancelled'],
  ...['held back', 'landed asks first'],
  ...['landed unused', 'cancelled, and then succeeded', 'cancelled, and then failed', 'cancelled by Temporal'],
  ...['taken approve', 'taken approve-part', 'taken withdraw', 'taken edit', 'taken reject', 'taken answer'],
  ...['opened at last', 'twin', 'so already answer', 'asked for keys'],
  ...['cut off, and then succeeded', 'cut off, and then failed'],
  // These runs have plans from the beginning: none waits for a planner (run/model-away.test.ts).
  ...CONTROL_ACTIONS.filter((action) => action !== 'fallback').map((action) => `taken ${action}`),
  ...[
    ...['stale-digest', 'stale-revision', 'already-decided', 'too-late', 'closed', 'unknown-node', 'wrong-role'],
    ...['malformed', 'no-planner', 'too-many-revisions', 'unknown-question', 'not-possible', 'early'],
    ...['late stale-digest', 'late already-answered', 'late failed', 'late wrong-answer', 'late invalid-plan'],
  ].map((one) => `refused ${one}`),
  ...['held, soft', 'held, hard', 'a hold that ended', 'went on', 'went on with messages in line', 'the store refused'],
  ...['started in a part', 'given back', 'halted', 'a part goes on', 'a part gives back', 'a part is lost'],
  ...['taken up', 'taken up with work under way', 'sent again, to be answered', 'sent again, answered as before'],
];
