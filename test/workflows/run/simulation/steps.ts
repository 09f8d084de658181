/** The steps of a simulated run, as random data: what is said, how work ends, how time passes, when it is carried over. */

import fc from 'fast-check';
import type { OnFailure, RunOptions } from '../../../../src/protocol/index.ts';
import { edits, rules } from '../random-plan.ts';
import { openTheGate } from './last-words.ts';
import type { World } from './model.ts';
import {
  arrive,
  cancel,
  applyNode,
  landPlan,
  takeUp,
  wait,
  type Arriving,
  type Ending,
  type Planned,
} from './simulated-run.ts';
import { say, sendAgain } from './say.ts';
import { defined, spokenIn, told, utterances, ways } from './utterances.ts';

export type Step = (world: World) => void;

/** A step that a failing sequence tells as data. */
function toStep<T>(from: fc.Arbitrary<T>, name: string, act: (world: World, given: T) => void): fc.Arbitrary<Step> {
  return from.map((given) => told(name, given, (world: World) => act(world, given)));
}

const words = toStep(fc.tuple(utterances, ways), 'say', (world, said) => say(world, ...spokenIn(world, [said])));
const batches = toStep(
  fc.array(fc.tuple(utterances, ways), { minLength: 2, maxLength: 4 }),
  'say at once',
  (world, said) => say(world, ...spokenIn(world, said)),
);

const question = fc.record({
  text: fc.constant('which?'),
  default: fc.constantFrom(undefined, 1),
  deadlineMs: fc.constantFrom(undefined, 300),
  roles: fc.constantFrom(undefined, ['ops']),
});
const endings: fc.Arbitrary<Ending> = fc.oneof(
  fc.constantFrom<Ending[]>(
    'asks first',
    'asks first',
    'succeeded',
    'succeeded',
    'failed',
    'failed',
    'failed',
    'failed',
    'needs another plan',
    'uncertain',
    'cancelled',
  ),
  question.map((one) => defined(one)),
);
const landings = toStep(fc.record({ pick: fc.nat({ max: 9 }), ending: endings }), 'land', (world, { pick, ending }) =>
  applyNode(world, pick, ending),
);
const arrivals = toStep(
  fc.record({
    pick: fc.nat({ max: 5 }),
    how: fc.constantFrom<Arriving[]>('there', 'there', 'there', 'there', 'invalid', 'failed'),
  }),
  'arrive',
  (world, { pick, how }) => arrive(world, pick, how),
);
const plannings = toStep(
  fc.record({
    how: fc.constantFrom<Planned[]>(
      ...(['a plan', 'a plan', 'a plan', 'a plan', 'a question', 'no plan', 'no plan', 'no model'] as const),
      ...(['nothing selected', 'a broken worker'] as const),
    ),
    edit: edits,
  }),
  'plan',
  (world, { how, edit }) => landPlan(world, how, edit),
);
const waits = toStep(
  fc.record({
    ms: fc.constantFrom(0, 1, 50, 299, 500, 30_000, 30_000),
    rings: fc.constantFrom(true, true, true, false),
  }),
  'wait',
  (world, { ms, rings }) => wait(world, ms, rings),
);
const resumes = toStep(fc.constant(''), 'take up', (world) => takeUp(world));
const repetitions = toStep(fc.nat({ max: 5 }), 'send again', (world, pick) => sendAgain(world, pick));
/** It ends everything. */
const cancellations = toStep(fc.nat({ max: 9 }), 'cancel', (world, dice) => (dice === 0 ? cancel(world) : undefined));

const ALL = [
  { weight: 14, arbitrary: words },
  { weight: 2, arbitrary: batches },
  { weight: 7, arbitrary: landings },
  { weight: 4, arbitrary: arrivals },
  { weight: 2, arbitrary: waits },
  { weight: 2, arbitrary: resumes },
  { weight: 2, arbitrary: repetitions },
  { weight: 1, arbitrary: cancellations },
];
const LENGTHS = { minLength: 5, maxLength: 40, size: 'max' } as const;

const LANES_TRIED = ['visible', 'parts'] as const;

const bounds: fc.Arbitrary<Partial<RunOptions>> = fc.record({
  onFailure: fc.constantFrom<OnFailure[]>('fail', 'partial', 'ask'),
  concurrency: fc.constantFrom(1, 2, 100),
  lane: fc.constantFrom(...LANES_TRIED),
  maxRejections: fc.constantFrom(1, 3),
  maxRevisions: fc.constantFrom(1, 2, 20),
});

/** Some runs wait for people for longer than they hold back what is ready. */
const patience: fc.Arbitrary<Partial<RunOptions>> = fc.constantFrom(
  { approvalDeadlineMs: 1000, answerDeadlineMs: 500 },
  { approvalDeadlineMs: 200_000, answerDeadlineMs: 100_000 },
);
const options = fc.tuple(bounds, patience).map(([some, others]) => ({ ...some, ...others }));

export const ANY = { rules, options, steps: fc.array(fc.oneof(...ALL), LENGTHS) };

const failures = toStep(fc.nat({ max: 9 }), 'land', (world, pick) => applyNode(world, pick, 'needs another plan'));
/** The people whose word is missing say it. */
const openings = toStep(fc.constant(''), 'open', (world) => openTheGate(world));

/** Runs whose plans are made anew. */
export const ANEW = {
  rules: fc.oneof(rules, fc.constantFrom([{}], [{ effect: 'idempotent' as const }], [{ count: 2 }])),
  options: options.map((some) => ({ ...some, onFailure: 'replan' as const })),
  steps: fc.array(
    fc.oneof(
      ...ALL,
      { weight: 10, arbitrary: plannings },
      { weight: 10, arbitrary: failures },
      { weight: 10, arbitrary: openings },
    ),
    LENGTHS,
  ),
};

/** How long one history may get, and what the store says in turn when the run is to go on in another. */
export const surroundings = fc.record({
  budget: fc.oneof(
    fc.constant(undefined),
    fc
      .record({ soft: fc.constantFrom(1, 10, 30), hard: fc.constantFrom(1, 3, 100) })
      .map(({ soft, hard }) => ({ soft: sizeOf(soft), hard: sizeOf(soft * hard) })),
  ),
  store: fc.constantFrom([true], [true, true, false], [true, false, false]),
});

function sizeOf(events: number) {
  return { events, bytes: 2 ** 30 };
}
