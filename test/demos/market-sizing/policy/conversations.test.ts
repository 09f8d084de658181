/** Whole conversations with the policy, round by round: every stage that was visited, and what it did. */

import { expect, test } from 'vitest';
import type { Field } from '../../../../examples/market-sizing/policy/state.ts';
import type { Market } from '../../../../examples/market-sizing/policy/policy.ts';
import { converse, FIELDS, MARKET, NO_HITS, page, PRICE, REFUSAL, UNITS, type Script } from './rig.ts';

/** `!` decided, `~` rewrote, `+` wrote, `-` spared: no corrector of such decisions; without a mark: passed. */
const KNOWN = 'g_iter_cap g_region g_currency';
/** What is left to the correctors of a decision of a gate, of the selector, and of the model where they change nothing. */
const SPARED = 'c_target_decompose- c_redirect_derived- c_redirect_web- c_search_cap- c_ask_cap-';
const FINE = 'c_target_decompose c_redirect_derived c_redirect_web c_search_cap c_ask_cap';

const { growth: _, ...withoutGrowth } = FIELDS;
const SMALL: Market = { ...MARKET, fields: withoutGrowth };
const SIZED = { value: '2000', expression: 'units * price', variables: {} };
const SOLD = page('Units sold: 100');
const CORE = ['Norrvik', 'EUR'];
const why = { reasoning: 'Why.' };
const note = { action: 'reflect', note: 'Hm.', ...why };

/** What every conversation begins with, where the person names both. */
const BEGIN = [
  `tick+ g_iter_cap g_region! ${SPARED} c_calc_adjust- => ask_user core.region`,
  `tick+ tally+ observe_user+ g_iter_cap g_region g_currency! ${SPARED} c_calc_adjust- => ask_user core.currency`,
];

/** And where a page has the units, and the person is asked for the price. */
const ASKED_BOTH = [
  ...BEGIN,
  `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => search units`,
  `tick+ tally+ observe+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user price`,
];
/** How it ends where both are known then. */
const SIZING = [
  `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust~ => calculate`,
  `tick+ take_calculation+ ${KNOWN} enrich_schema+ g_calc_caps! ${SPARED} c_calc_adjust- => finish`,
];

interface Conversation extends Script {
  readonly rounds: readonly string[];
  readonly outcome: 'done' | 'aborted';
  /** Purposes for which the model was asked. */
  readonly asked?: readonly string[];
  /** What the memo says. */
  readonly memo: string;
}

const rivals: Field = { kind: 'number', prefer: 'web', title: 'Sales of rivals', derived: true, wanted: true };
const RIVALS = {
  expression: 'shops * sold',
  components: [
    { name: 'shops', title: 'Shops', prefer: 'web' },
    { name: 'sold', title: 'Sold', prefer: 'user' },
  ],
};
const SPLIT = {
  expression: 'shops * sold',
  components: [
    { name: 'shops', title: 'Shops', prefer: 'web', queries: ['shops'] },
    { name: 'sold', title: 'Sold by each', prefer: 'user', question: 'How many does each sell?' },
  ],
};
const both: Field = { ...UNITS, prefer: 'user' };
const ASKED: Market = {
  ...SMALL,
  fields: {
    ...withoutGrowth,
    size: {
      ...FIELDS['size']!,
      decomposition: { expression: 'units * price', components: { units: both, price: { ...both, title: 'Price' } } },
    },
  },
};

/** Of its units the model has to find the words. */
const { queries: _queries, question: _question, ...wordless } = UNITS;
const WORDLESS: Field = {
  ...FIELDS['size']!,
  decomposition: { expression: 'units * price', components: { units: wordless, price: PRICE } },
};
const trend: Field = { ...FIELDS['growth']!, title: 'Trend' };

const CONVERSATIONS: Readonly<Record<string, Conversation>> = {
  'two gates, a search, a question, the model, the calculation': {
    replies: { plan_llm: { action: 'search', field: 'growth', query: 'growth of sales', ...why } },
    outcomes: { ask: [...CORE, 20], searchText: [SOLD, page('Growth: 4 %', 'g:1')], calculate: [SIZED] },
    rounds: [
      ...ASKED_BOTH,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust => search growth`,
      `tick+ tally+ observe+ ${KNOWN} enrich_schema g_calc_caps acquire! ${SPARED} c_calc_adjust~ => calculate`,
      `tick+ take_calculation+ ${KNOWN} enrich_schema+ g_calc_caps! ${SPARED} c_calc_adjust- => finish`,
    ],
    asked: ['plan_llm'],
    outcome: 'done',
    memo: 'Size, Norrvik: 2000 EUR',
  },
  'nobody names region or currency: the gates pass when their attempts are exhausted': {
    market: SMALL,
    outcomes: { ask: [null, null, { failed: 'no answer in time' }, null, 20], searchText: [SOLD], calculate: [SIZED] },
    rounds: [
      `tick+ g_iter_cap g_region! ${SPARED} c_calc_adjust- => ask_user core.region`,
      `tick+ tally+ observe_user+ g_iter_cap g_region! ${SPARED} c_calc_adjust- => ask_user core.region`,
      `tick+ tally+ observe_user+ g_iter_cap g_region g_currency! ${SPARED} c_calc_adjust- => ask_user core.currency`,
      `tick+ tally+ observe_user+ g_iter_cap g_region g_currency! ${SPARED} c_calc_adjust- => ask_user core.currency`,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => search units`,
      `tick+ tally+ observe+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user price`,
      ...SIZING,
    ],
    outcome: 'done',
    memo: 'a region that nobody has named: 2000',
  },
  'a model that fails ends the planning, although a calculation is pending': {
    replies: { plan_llm: REFUSAL },
    outcomes: { ask: [...CORE, 20], searchText: [SOLD] },
    rounds: [
      ...ASKED_BOTH,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust => finish`,
    ],
    asked: ['plan_llm'],
    outcome: 'aborted',
    memo: 'The model has failed: I would rather not.',
  },
  'a calculator that fails three times': {
    market: SMALL,
    replies: {
      plan_llm: [
        { action: 'calculate', ...why },
        { action: 'finish', ...why },
      ],
    },
    outcomes: {
      ask: [...CORE, 20],
      searchText: [SOLD],
      calculate: [{ failed: 'a' }, { failed: 'b' }, { failed: 'c' }],
    },
    rounds: [
      ...ASKED_BOTH,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust~ => calculate`,
      `tick+ take_calculation+ ${KNOWN} enrich_schema g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust~ => calculate`,
      `tick+ take_calculation+ ${KNOWN} enrich_schema g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust~ => calculate`,
      `tick+ take_calculation+ ${KNOWN} enrich_schema g_calc_caps! ${SPARED} c_calc_adjust- => finish`,
    ],
    asked: ['plan_llm', 'plan_llm'],
    outcome: 'aborted',
    memo: '3 calculations gave no number; the cap is 3.',
  },
  'a question about a composite field becomes a search for a component of it': {
    market: { ...SMALL, fields: { ...withoutGrowth, rivals } },
    replies: {
      plan_llm: [
        { action: 'ask_user', field: 'rivals', question: 'How much do rivals sell?', ...why },
        { action: 'finish', ...why },
      ],
      'decompose.rivals': RIVALS,
    },
    outcomes: { ask: [...CORE, 20], searchText: [SOLD, page('Shops: 12')], calculate: [SIZED] },
    rounds: [
      ...ASKED_BOTH,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire plan_llm! c_target_decompose+ c_redirect_derived~ c_redirect_web~ c_search_cap c_ask_cap c_calc_adjust => search shops`,
      `tick+ tally+ observe+ ${KNOWN} enrich_schema+ g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust~ => calculate`,
      `tick+ take_calculation+ ${KNOWN} enrich_schema+ g_calc_caps! ${SPARED} c_calc_adjust- => finish`,
    ],
    asked: ['plan_llm', 'decompose.rivals', 'plan_llm'],
    outcome: 'done',
    memo: 'Shops: 12 (page: page.md:3)',
  },
  'the cap of iterations': {
    market: { ...MARKET, caps: { iterations: 6 } },
    replies: { plan_llm: note },
    outcomes: { ask: [...CORE, 20], searchText: [SOLD], reflect: ['Hm.', 'Hm.', 'Hm.'] },
    rounds: [
      ...ASKED_BOTH,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust => reflect`,
      `tick+ take_note+ ${KNOWN} enrich_schema g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust => reflect`,
      `tick+ take_note+ g_iter_cap! ${SPARED} c_calc_adjust- => finish`,
    ],
    asked: ['plan_llm', 'plan_llm'],
    outcome: 'aborted',
    memo: 'The cap of 6 iterations is reached.',
  },
  'one answer fills several components; one that is not valid is asked for again': {
    market: ASKED,
    outcomes: { ask: [...CORE, -1, { units: 100, price: 20 }], calculate: [SIZED] },
    rounds: [
      ...BEGIN,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user units`,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user units`,
      ...SIZING,
    ],
    outcome: 'done',
    memo: 'Size, Norrvik: 2000 EUR',
  },
  'a search too many becomes a question, a question too many the end, and the end a calculation': {
    replies: {
      plan_llm: [
        ...Array.from({ length: 4 }, () => ({ action: 'search', field: 'growth', query: 'growth', ...why })),
        { action: 'ask_user', field: 'growth', question: 'How fast?', ...why },
      ],
    },
    outcomes: { ask: [...CORE, 20, null], searchText: [SOLD, NO_HITS, NO_HITS, NO_HITS], calculate: [SIZED] },
    market: { ...MARKET, fields: { ...FIELDS, trend }, caps: { asks: 1 } },
    rounds: [
      ...ASKED_BOTH,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust => search growth`,
      `tick+ tally+ observe ${KNOWN} enrich_schema g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust => search growth`,
      `tick+ tally+ observe ${KNOWN} enrich_schema g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust => search growth`,
      `tick+ tally+ observe ${KNOWN} enrich_schema g_calc_caps acquire plan_llm! c_target_decompose c_redirect_derived c_redirect_web c_search_cap~ c_ask_cap c_calc_adjust => ask_user growth`,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema g_calc_caps acquire plan_llm! c_target_decompose c_redirect_derived c_redirect_web c_search_cap c_ask_cap~ c_calc_adjust~ => calculate`,
      `tick+ take_calculation+ ${KNOWN} enrich_schema+ g_calc_caps! ${SPARED} c_calc_adjust- => finish`,
    ],
    asked: ['plan_llm', 'plan_llm', 'plan_llm', 'plan_llm', 'plan_llm'],
    outcome: 'done',
    memo: 'Size, Norrvik: 2000 EUR',
  },
  'an input that nobody can tell is taken apart on demand': {
    market: { ...SMALL, caps: { searches: 1, asks: 1 } },
    replies: { 'decompose.units': SPLIT },
    outcomes: { ask: [...CORE, null, 4, 20], searchText: [NO_HITS, page('Shops: 25')], calculate: [SIZED] },
    rounds: [
      ...BEGIN,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => search units`,
      `tick+ tally+ observe ${KNOWN} enrich_schema g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user units`,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema g_calc_caps acquire! ${SPARED} c_calc_adjust => search shops`,
      `tick+ tally+ observe+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user sold`,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user price`,
      ...SIZING,
    ],
    asked: ['decompose.units'],
    outcome: 'done',
    memo: '(calculation: (shops * sold) * price)',
  },
  'nothing can be found: the end without a number': {
    market: { ...SMALL, caps: { searches: 1, asks: 1 } },
    replies: {
      'decompose.units': { none: 'no' },
      'decompose.price': { none: 'no' },
      plan_llm: { action: 'search', field: 'price', query: 'price', ...why },
    },
    outcomes: { ask: [...CORE, null, null], searchText: [NO_HITS, NO_HITS] },
    rounds: [
      ...BEGIN,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => search units`,
      `tick+ tally+ observe ${KNOWN} enrich_schema g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user units`,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user price`,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust => search price`,
      `tick+ tally+ observe ${KNOWN} enrich_schema g_calc_caps acquire! ${SPARED} c_calc_adjust => finish`,
    ],
    asked: ['decompose.units', 'plan_llm', 'decompose.price'],
    outcome: 'aborted',
    memo: 'Missing: units, price.',
  },
  'two pages disagree: the model settles it before the calculation': {
    market: SMALL,
    replies: { plan_llm: { action: 'reflect', note: 'The first is newer.', field: 'units', ...why } },
    outcomes: {
      ask: [...CORE, 20],
      searchText: [
        {
          hits: [
            { id: 'a:1', title: 'Norrvik', snippet: 'Units sold: 100' },
            { id: 'b:1', title: 'Norrvik', snippet: 'Units sold: 90' },
          ],
        },
      ],
      reflect: ['The first is newer.'],
      calculate: [SIZED],
    },
    rounds: [
      ...ASKED_BOTH,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust => reflect`,
      `tick+ take_note+ ${KNOWN} enrich_schema g_calc_caps acquire! ${SPARED} c_calc_adjust~ => calculate`,
      `tick+ take_calculation+ ${KNOWN} enrich_schema+ g_calc_caps! ${SPARED} c_calc_adjust- => finish`,
    ],
    asked: ['plan_llm'],
    outcome: 'done',
    memo: 'Units sold: 100 (page: a:1)',
  },
  'a model that would finish too early reflects on what the calculation waits for': {
    market: { ...SMALL, fields: { ...withoutGrowth, size: WORDLESS } },
    replies: {
      plan_llm: [
        { action: 'finish', ...why },
        { action: 'search', field: 'size', query: 'units', ...why },
      ],
    },
    outcomes: { ask: [...CORE, 20], searchText: [SOLD], reflect: ['Hm.'], calculate: [SIZED] },
    rounds: [
      ...BEGIN,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust => ask_user price`,
      `tick+ tally+ observe_user+ ${KNOWN} enrich_schema+ g_calc_caps acquire plan_llm! ${FINE} c_calc_adjust~ => reflect`,
      `tick+ take_note+ ${KNOWN} enrich_schema g_calc_caps acquire plan_llm! c_target_decompose c_redirect_derived~ c_redirect_web c_search_cap c_ask_cap c_calc_adjust => search units`,
      `tick+ tally+ observe+ ${KNOWN} enrich_schema+ g_calc_caps acquire! ${SPARED} c_calc_adjust~ => calculate`,
      `tick+ take_calculation+ ${KNOWN} enrich_schema+ g_calc_caps! ${SPARED} c_calc_adjust- => finish`,
    ],
    asked: ['plan_llm', 'plan_llm'],
    outcome: 'done',
    memo: 'Units sold: 100 (page: page.md:3)',
  },
};

test.each(Object.entries(CONVERSATIONS))('%s', async (_name, { rounds, outcome, asked = [], memo, ...script }) => {
  const told = await converse(script);
  expect(told.rounds).toEqual(rounds);
  expect([told.end.outcome, told.asked]).toEqual([outcome, asked]);
  expect((told.end.answer as { readonly memo: string }).memo).toContain(memo);
});
