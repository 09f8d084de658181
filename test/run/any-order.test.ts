import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextDeadline } from '../../src/run/deadlines.ts';
import { CONTROL_ACTIONS } from '../../src/run/control.ts';
import { DECISION_KINDS } from '../../src/run/decision.ts';
import type { MessageName } from '../../src/run/hear.ts';
import { isFinished } from '../../src/run/progress.ts';
import { closedResult, endingOf } from '../../src/run/result.ts';
import { askingNodes } from '../../src/run/run.ts';
import { progressOf } from './make-run.ts';
import { edits, plans, ROLES, rules, type RandomEdit } from './random-plan.ts';
import { digestOf, now, type World } from './model.ts';
import { arrive, compile, hear, land, openWorld, wait, type Ending } from './simulated-run.ts';

type Step = (world: World) => void;

/** A step that a failing sequence tells as data. */
function toStep<T>(from: fc.Arbitrary<T>, name: string, act: (world: World, given: T) => void): fc.Arbitrary<Step> {
  return from.map((given) =>
    Object.assign((world: World) => act(world, given), { [fc.toStringMethod]: () => `${name} ${fc.stringify(given)}` }),
  );
}

const people = fc.constantFrom('ana', 'ben', 'cleo', ' ANA', 'Ben ');
const roles = fc.constantFrom(undefined, ...ROLES, 'guest');
const NAMES: readonly MessageName[] = ['approve', 'reject', 'decide', 'answer', 'control'];
const sender = fc.record({ by: people, role: roles, comment: fc.constantFrom(undefined, 'because') });
const aim = fc.record({
  digest: fc.constantFrom('open', 'open', 'open', 'open', 'open', 'open', 'capitals', 'other', 'before'),
  revision: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1),
});

const decisions = toStep(
  fc.record({
    kind: fc.constantFrom(...DECISION_KINDS, 'approve-part', 'withdraw', 'edit', 'edit'),
    sender,
    aim,
    picks: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 3 }),
    edit: edits,
  }),
  'decide',
  (world, { kind, sender: who, aim: at, picks, edit }) => {
    // A rejection mostly ends everything.
    if (kind === 'reject' && (picks[0] ?? 0) > 1) return;
    const size = world.plan.length;
    const nodes = picks.map((pick) => `node_${(pick % (size + (picks.length > 2 ? 1 : 0))) + 1}`);
    const own = { 'approve-part': { nodes }, revise: { feedback: 'shorter' }, edit: { plan: {} } } as const;
    const payload = { kind, ...spoken(who), ...aimed(world, at), ...own[kind as keyof typeof own] };
    hear(world, 'decide', payload, edit);
  },
);

const named = toStep(fc.record({ sender, aim }), 'approve', (world, { sender: who, aim: at }) =>
  hear(world, 'approve', { ...spoken(who), ...aimed(world, at) }),
);

const controls = toStep(
  fc.record({
    action: fc.constantFrom(...CONTROL_ACTIONS),
    node: fc.nat({ max: 8 }),
    outcome: fc.constantFrom('succeeded', 'failed'),
    sender,
    digest: fc.boolean(),
  }),
  'control',
  (world, { action, node, outcome, sender: who, digest }) => {
    const about =
      action === 'pause' || action === 'resume' ? {} : { node: `node_${(node % (world.plan.length + 1)) + 1}` };
    const resolve = action === 'resolve' ? { outcome, ...(outcome === 'succeeded' && { value: node }) } : {};
    hear(world, 'control', {
      action,
      ...about,
      ...resolve,
      ...spoken(who),
      ...(digest && { digest: digestOf(world.plans).slice(0, 8) }),
    });
  },
);

const answers = toStep(
  fc.record({ pick: fc.nat({ max: 5 }), value: fc.nat({ max: 2 }), sender }),
  'answer',
  (world, { pick, value, sender: who }) => {
    const ids = [...world.run.questions.keys(), ...world.run.answered.keys(), '00000001.node_1'];
    hear(world, 'answer', { question: ids[pick % ids.length], value, ...spoken(who) });
  },
);

const junk = toStep(
  fc.record({
    name: fc.constantFrom(...NAMES),
    value: fc.jsonValue({ maxDepth: 2 }),
    key: fc.constantFrom(
      'kind',
      'digest',
      'by',
      'role',
      'nodes',
      'action',
      'node',
      'question',
      'revision',
      'plan',
      '__proto__',
    ),
    whole: fc.boolean(),
  }),
  'junk',
  (world, { name, value, key, whole }) => {
    const good = { digest: digestOf(world.plans), by: 'ana', ...(name === 'decide' && { kind: 'approve' }) };
    hear(world, name, whole ? value : { ...good, [key]: value });
  },
);

const question = fc.record({
  text: fc.constant('which?'),
  default: fc.constantFrom(undefined, 1),
  deadlineMs: fc.constantFrom(undefined, 300),
  roles: fc.constantFrom(undefined, ['ops']),
});
const endings: fc.Arbitrary<Ending> = fc.oneof(
  fc.constantFrom<Ending[]>('succeeded', 'succeeded', 'succeeded', 'failed', 'uncertain', 'cancelled'),
  question.map((one) => defined(one)),
);
const landings = toStep(fc.record({ pick: fc.nat({ max: 9 }), ending: endings }), 'land', (world, { pick, ending }) =>
  land(world, pick, ending),
);
const arrivals = toStep(
  fc.record({ pick: fc.nat({ max: 5 }), ok: fc.constantFrom(true, true, true, false) }),
  'arrive',
  (world, { pick, ok }) => arrive(world, pick, ok),
);
const waits = toStep(
  fc.record({ ms: fc.constantFrom(0, 1, 50, 299, 500), rings: fc.constantFrom(true, true, true, false) }),
  'wait',
  (world, { ms, rings }) => wait(world, ms, rings),
);

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: decisions },
    { weight: 1, arbitrary: named },
    { weight: 4, arbitrary: controls },
    { weight: 2, arbitrary: answers },
    { weight: 1, arbitrary: junk },
    { weight: 7, arbitrary: landings },
    { weight: 4, arbitrary: arrivals },
    { weight: 1, arbitrary: waits },
  ),
  { minLength: 5, maxLength: 40, size: 'max' },
);
const options = fc.record({
  onFailure: fc.constantFrom('fail', 'partial', 'ask'),
  concurrency: fc.constantFrom(1, 2, 100),
  maxRejections: fc.constantFrom(1, 3),
  maxRevisions: fc.constantFrom(1, 2, 20),
});

const SEQUENCES = 2000;
/** On a busy machine. */
const TIME_MS = 180_000;

describe('a run, whatever is said to it, in whatever order', () => {
  const seen: Record<string, number> = {};

  test(
    'starts what is covered, once, and nothing else; refuses without effect; can always be decided and always ends',
    () => {
      fc.assert(
        fc.property(
          plans,
          rules,
          options,
          fc.nat({ max: 3 }),
          steps,
          fc.boolean(),
          (plan, asks, bounds, early, all, decided) => {
            const world = openWorld(plan, asks, bounds);
            for (const step of all.slice(0, early)) step(world);
            compile(world);
            for (const step of all.slice(early)) step(world);
            if (decided) openTheGate(world);
            endInSilence(world);
            for (const [what, times] of Object.entries(world.seen)) seen[what] = (seen[what] ?? 0) + times;
          },
        ),
        { seed: 20260102, numRuns: SEQUENCES },
      );
    },
    TIME_MS,
  );

  test('reaches all of what is claimed about it', () => {
    for (const what of REACHED) expect(`${what}: ${(seen[what] ?? 0) >= 20}`).toBe(`${what}: true`);
  });
});

const REACHED = [
  ...[
    'started',
    'started above read',
    'deadline',
    'landed question',
    'landed uncertain',
    'landed cancelled',
    'landed unused',
  ],
  ...[
    'taken approve',
    'taken approve-part',
    'taken withdraw',
    'taken edit',
    'taken reject',
    'taken answer',
    'opened at last',
  ],
  ...CONTROL_ACTIONS.map((action) => `taken ${action}`),
  ...[
    'stale-digest',
    'stale-revision',
    'already-decided',
    'too-late',
    'closed',
    'unknown-node',
    'wrong-role',
    'malformed',
  ].map((one) => `refused ${one}`),
  ...['no-planner', 'too-many-revisions', 'unknown-question', 'not-possible', 'early'].map((one) => `refused ${one}`),
  ...['refused late stale-digest', 'refused late already-answered'],
];

/** Nothing that was said before keeps enough people of the right roles from opening the gate. */
function openTheGate(world: World): void {
  const { run } = world;
  wait(world, 0, true);
  if (askingNodes(run).length === 0) return;
  if (run.approval.rejected) {
    if (run.approval.revision >= run.approval.bounds.maxRevisions) return;
    while (world.arriving.length > 0) arrive(world, 0, true);
    hear(world, 'decide', { kind: 'edit', digest: run.approval.digest, by: 'editor', plan: {} }, CHANGED);
    arrive(world, world.arriving.length - 1, true);
    expect(run.approval.rejected).toBe(false);
  }
  if (askingNodes(run).length === 0) return;
  for (const { roles: wanted = [undefined], count = 1 } of world.rules) {
    for (let person = 1; person <= count; person++) {
      const role = wanted[0] === undefined ? {} : { role: wanted[0] };
      hear(world, 'approve', { digest: run.approval.digest, by: `fresh ${person}`, ...role });
    }
  }
  expect(run.approval).toMatchObject({ phase: 'running', uncovered: [] });
  world.seen['opened at last'] = (world.seen['opened at last'] ?? 0) + 1;
}

/** Nobody says a word any more. */
function endInSilence(world: World): void {
  const { run } = world;
  if (run.paused) hear(world, 'control', { action: 'resume', by: 'ana' });
  for (let turn = 0; turn < 200 && !(isFinished(progressOf(run)) && run.flights.size === 0); turn++) {
    while (world.flights.length > 0) land(world, turn, 'succeeded');
    while (world.arriving.length > 0) arrive(world, turn, true);
    const due = nextDeadline(run);
    if (due !== undefined) wait(world, Math.max(0, Date.parse(due) - Date.parse(now(world))), true);
  }
  expect(isFinished(progressOf(run)) && run.flights.size === 0).toBe(true);
  expect([run.questions.size, run.settling.size]).toEqual([0, 0]);
  if (run.approval.phase === 'closed') expect(closedResult(run).outcome).toBe(run.approval.outcome);
  else expect(typeof endingOf(run).ok).toBe('boolean');
}

const CHANGED: RandomEdit = { fates: Array.from({ length: 10 }, () => 'change'), places: [], added: [], after: [] };

function spoken({ by, role, comment }: { by: string; role: string | undefined; comment: string | undefined }) {
  return defined({ by, role, comment });
}

function aimed({ run, plans: count }: World, { digest, revision }: { digest: string; revision: number | undefined }) {
  const open = run.approval.digest === '' ? digestOf(count) : run.approval.digest;
  const digests: Record<string, string> = {
    open: open.slice(0, 8),
    capitals: open.toUpperCase(),
    other: 'f'.repeat(8),
    before: digestOf(Math.max(1, count - 1)),
  };
  return defined({
    digest: digests[digest],
    revision: revision === undefined ? undefined : Math.max(1, run.approval.revision + revision),
  });
}

function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
