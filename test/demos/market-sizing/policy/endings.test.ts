/** Laws of the policy under any model, any person and any pages: it ends, and nothing is tried more often than its cap. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_CAPS, type Caps } from '../../../../examples/market-sizing/policy/caps.ts';
import type { Decision } from '../../../../examples/market-sizing/policy/decision.ts';
import { marketPolicy } from '../../../../examples/market-sizing/policy/policy.ts';
import type { Field, State } from '../../../../examples/market-sizing/policy/state.ts';
import type { JsonValue } from '../../../../src/plan/index.ts';
import { type Happened } from '../../../../src/capabilities/policy/index.ts';
import { runRound } from '../../../../src/planner/index.ts';
import { aroundWith, FIELDS, NO_HITS, page, REFUSAL } from './rig.ts';

const rivals: Field = { kind: 'number', prefer: 'web', title: 'Rivals', derived: true, wanted: true };
const NAMES = ['core.region', 'size', 'units', 'price', 'growth', 'rivals', 'shops', 'sold', 'weather'];

const name = fc.constantFrom(...NAMES);
const why = { reasoning: 'Why.' };
const said = fc.oneof(
  name.map((field) => ({ action: 'search', field, query: 'words', ...why })),
  name.map((field) => ({ action: 'ask_user', field, question: 'What?', ...why })),
  name.map((field) => ({ action: 'reflect', note: 'Hm.', field, ...why })),
  fc.constantFrom<unknown>({ action: 'calculate', ...why }, { action: 'finish', ...why }, 'nonsense', REFUSAL),
);
const split = fc.constantFrom<unknown>({ none: 'no' }, REFUSAL, {
  expression: 'shops * sold',
  components: [
    { name: 'shops', title: 'Shops', prefer: 'web', queries: ['shops'] },
    { name: 'sold', title: 'Sold', prefer: 'user' },
  ],
});
const outcomes: Readonly<Record<Decision['action'], fc.Arbitrary<JsonValue | undefined>>> = {
  search: fc.constantFrom<JsonValue | undefined>(
    ...[
      NO_HITS,
      page('Units sold: 9'),
      page('Units sold: 8', 'other.md:1'),
      page('Growth: 4 %'),
      page('Shops: 3'),
      undefined,
    ],
  ),
  ask_user: fc.constantFrom<JsonValue | undefined>('Norrvik', 'EUR', 7, -1, null, { units: 5, price: 4 }, undefined),
  calculate: fc.constantFrom<JsonValue | undefined>({ value: '20' }, 'nothing', undefined),
  reflect: fc.constantFrom<JsonValue | undefined>('Hm.', undefined),
  finish: fc.constant(undefined),
};
const anyCaps: fc.Arbitrary<Caps> = fc.record({
  iterations: fc.integer({ min: 1, max: 40 }),
  calculations: fc.integer({ min: 1, max: 3 }),
  searches: fc.integer({ min: 1, max: 3 }),
  asks: fc.integer({ min: 1, max: 3 }),
  coreAsks: fc.integer({ min: 1, max: 3 }),
});
/** Endless: what is said and what comes of it, round by round. */
const script = fc.record({
  caps: fc.oneof(fc.constant(DEFAULT_CAPS), anyCaps),
  said: fc.infiniteStream(said),
  splits: fc.infiniteStream(split),
  came: fc.infiniteStream(fc.record(outcomes)),
});

test('whatever is said and found, the planning ends by its cap, and keeps to every other cap on the way', async () => {
  await fc.assert(
    fc.asyncProperty(script, async ({ caps, said: replies, splits, came }) => {
      const policy = marketPolicy({ target: 'size', fields: { ...FIELDS, rivals }, caps });
      const asked: string[] = [];
      let state: State | undefined;
      let happened: Happened<Decision> | undefined;
      for (let round = 1; ; round++) {
        expect(round).toBeLessThanOrEqual(caps.iterations + 1);
        const [one, taken] = [replies.next().value, splits.next().value];
        const around = aroundWith(
          { plan_llm: one, ...Object.fromEntries(NAMES.map((field) => [`decompose.${field}`, taken])) },
          asked,
        );
        const made = await runRound(policy, { round, around, ...(state && { state }), ...(happened && { happened }) });
        state = made.state;
        const { decision } = made;
        expect(state.iterations).toBe(round);
        expect(made.visits.filter(({ did }) => did === 'decided')).toHaveLength(1);
        const step = policy.actions.get(decision.action)?.dispatch(decision, state);
        if (step?.is === 'finish') {
          const isSized = state.status === 'running' && state.schema.fields['size']?.value !== undefined;
          expect(step.outcome).toBe(isSized ? 'done' : 'aborted');
          break;
        }
        expect(step?.is).toBe('capability');
        const result = came.next().value[decision.action];
        const results: Happened['results'] = result === undefined ? {} : { step: result };
        happened = { round, decision, status: result === undefined ? 'failed' : 'succeeded', results };
      }
      const most = (counts: Readonly<Record<string, number>>) => Math.max(0, ...Object.values(counts));
      const { 'core.region': region = 0, 'core.currency': currency = 0, ...asks } = state.attempts.asks;
      expect(most(state.attempts.searches)).toBeLessThanOrEqual(caps.searches);
      expect(most(asks)).toBeLessThanOrEqual(caps.asks);
      expect(Math.max(region, currency)).toBeLessThanOrEqual(caps.coreAsks);
      expect(state.calculation.failures).toBeLessThanOrEqual(caps.calculations);
      const decompositions = asked.filter((purpose) => purpose.startsWith('decompose.'));
      expect(new Set(decompositions).size).toBe(decompositions.length);
    }),
    { numRuns: 100 },
  );
});
