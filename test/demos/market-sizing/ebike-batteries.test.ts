/** The market of the demo without a server: its own policy, pages, calculator and scripted model, round by round. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { searchText } from '../../../examples/market-sizing/search-text.ts';
import { calculate, reflect } from '../../../src/capabilities/builtin/index.ts';
import { createConfig, demo } from '../../../examples/market-sizing/index.ts';
import { EBIKE_BATTERIES, GOAL, QUESTIONS } from '../../../examples/market-sizing/market.ts';
import { PAGES } from '../../../examples/market-sizing/pages.ts';
import type { Decision } from '../../../examples/market-sizing/policy/decision.ts';
import { marketPolicy } from '../../../examples/market-sizing/policy/policy.ts';
import type { State } from '../../../examples/market-sizing/policy/state.ts';
import {
  faultsOfSize,
  faultsOfSources,
  type MarketReport,
} from '../../../examples/market-sizing/story/market-proof.ts';
import { answerOf } from '../../../examples/market-sizing/story/person.ts';
import { createRegistry } from '../../../src/capabilities/builtin/index.ts';
import { compilePlan, type JsonValue } from '../../../src/plan/index.ts';
import type { ModelClient } from '../../../src/models/index.ts';
import { type Happened } from '../../../src/capabilities/policy/index.ts';
import { runRound } from '../../../src/planner/index.ts';
import { carryOut } from '../../capabilities/carry-out.ts';

const search = searchText(PAGES);
const model = createConfig().model as ModelClient;

/** Who decided what: `acquire search battery_price`. */
async function sized(): Promise<{
  readonly rounds: readonly string[];
  readonly report: MarketReport;
  readonly state: State;
}> {
  const policy = marketPolicy(EBIKE_BATTERIES);
  const around = {
    task: { goal: GOAL, inputs: [] },
    ask: (_: string, request: Parameters<typeof model.complete>[0]) => model.complete(request),
  };
  const rounds: string[] = [];
  let state: State | undefined;
  let happened: Happened<Decision> | undefined;
  for (let round = 1; round <= 30; round++) {
    const made = await runRound(policy, {
      ...{ round, around },
      ...(state !== undefined && { state }),
      ...(happened !== undefined && { happened }),
    });
    const { decision, decider } = made;
    state = made.state;
    const about =
      'field' in decision ? ` ${('component' in decision ? decision.component : undefined) ?? decision.field}` : '';
    rounds.push(`${decider} ${decision.action}${about}`);
    const step = policy.actions.get(decision.action)?.dispatch(decision, state);
    if (step?.is === 'finish') return { rounds, state, report: step.answer as unknown as MarketReport };
    if (step?.is !== 'capability') throw new Error(JSON.stringify(step));
    happened = {
      round,
      decision,
      status: 'succeeded',
      results: { [`step_${round}`]: await result(step.name, step.arguments) },
    };
  }
  throw new Error(`no end:\n${rounds.join('\n')}`);
}

/** Plans keep their arguments in canonical form, names in the order of their letters. */
async function result(name: string, args: Readonly<Record<string, JsonValue>>): Promise<JsonValue> {
  const given = sorted(args) as never;
  if (name === 'searchText') return carryOut(search, given);
  if (name === 'calculate') return carryOut(calculate, given);
  if (name === 'reflect') return carryOut(reflect, given);
  return answerOf((args as { readonly question: string }).question);
}

function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

describe('replacement batteries of e-bikes in Norrvik', async () => {
  const { rounds, report, state } = await sized();

  test('rules decide, and the model where they cannot', () => {
    expect(rounds).toEqual([
      'g_region ask_user core.region',
      'g_currency ask_user core.currency',
      'acquire search households',
      'acquire search ebikes_per_100',
      'acquire search replaced_share',
      'acquire search replaced_share',
      'acquire search battery_price',
      'acquire ask_user reach',
      'plan_llm reflect households',
      'plan_llm search price_change',
      'acquire calculate',
      'g_calc_caps finish',
    ]);
  });

  test('every number is on its line, and the size is 412000 x 0.31 x 0.065 x 540 x 0.4', () => {
    expect(faultsOf(report)).toEqual([]);
    expect(report.numbers.at(-1)).toMatchObject({
      field: 'market_size',
      value: '1793188.8',
      unit: 'EUR',
      from: 'calculation',
    });
    expect(report.memo.split('\n')[0]).toBe('Market in a year, Norrvik: 1793188.8 EUR');
  });

  test('the neighbour, the older count and the other currency are refused or settled, and said', () => {
    const notes = state.notes.join('\n');
    for (const place of ['sydmark-households-2025.md', 'sydmark-ebikes.md', 'battery-prices-abroad.md'])
      expect(notes).toContain(place);
    expect(state.evidence.filter(({ field }) => field === 'households')).toHaveLength(2);
    expect(notes).toContain('The count of 2025 counts');
  });

  test.each<[string, (report: MarketReport) => MarketReport, RegExp]>([
    ['aborted', (one) => ({ ...one, outcome: 'aborted' }), /ended as aborted/],
    ['another size', (one) => changed(one, 'market_size', { value: '1793188.9' }), /size should be 1793188\.8/],
    [
      'a number that no page says',
      (one) => changed(one, 'households', { value: '412001' }),
      /households is 412001 by norrvik-households-2025\.md:5/,
    ],
    ['a place that is no page', (one) => changed(one, 'households', { place: '../README.md:1' }), /says ""/],
    [
      'a factor too few',
      (one) => ({ ...one, numbers: one.numbers.filter(({ field }) => field !== 'reach') }),
      /nothing for reach/,
    ],
  ])('the proof sees %s', (_, change, fault) => {
    expect(faultsOf(change(report)).join('\n')).toMatch(fault);
  });
});

const faultsOf = (report: MarketReport) => [...faultsOfSources(report, PAGES), ...faultsOfSize(report)];

function changed(report: MarketReport, field: string, to: object): MarketReport {
  return { ...report, numbers: report.numbers.map((one) => (one.field === field ? { ...one, ...to } : one)) };
}

describe('the demo', () => {
  test('the person knows what they are asked in this market, and nothing else', () => {
    expect(Object.values(QUESTIONS).map(answerOf)).toEqual(['Norrvik', 'EUR', 40]);
    expect(answerOf('Which way is north?')).toBeNull();
  });

  test('its plan compiles', () => {
    const compiled = compilePlan(readFileSync(demo.planFile), {
      catalogue: createRegistry(createConfig().capabilities),
    });
    expect(compiled.ok).toBe(true);
  });
});
