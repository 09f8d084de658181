/** The words of the scripted model: one decomposition, one judgement, one search. Rules decide all else. */

import type { ScriptedAnswer } from '../from-goal/index.ts';

const DECOMPOSITION = {
  expression: 'households * ebikes_per_100 / 100 * replaced_share / 100',
  components: [
    {
      name: 'households',
      title: 'Households',
      prefer: 'web',
      regional: true,
      label: 'Households',
      queries: ['households of Norrvik at the end of the year'],
      least: 0,
    },
    {
      name: 'ebikes_per_100',
      title: 'E-bikes per 100 households',
      prefer: 'web',
      regional: true,
      queries: ['e-bikes per 100 households'],
      least: 0,
      most: 1000,
    },
    {
      name: 'replaced_share',
      title: 'Batteries replaced in a year',
      prefer: 'web',
      regional: true,
      unit: '%',
      queries: ['share of batteries replaced in a year', 'batteries replaced in a year in Norrvik'],
      least: 0,
      most: 100,
    },
  ],
};

const decision = { wants: 'planner_decision' };
const MISSING = 'Decide the next step. Missing: price_change.';

export const MARKET_SCRIPT: readonly ScriptedAnswer[] = [
  { to: { wants: 'decomposition', task: 'Decompose batteries_a_year' }, reply: { value: DECOMPOSITION } },
  {
    to: {
      ...decision,
      task: `${MISSING} Open tasks: households (398000 is taken, and norrvik-households-2025.md:5 says 412000).`,
    },
    reply: {
      value: {
        action: 'reflect',
        field: 'households',
        evidence: 'norrvik-households-2025.md:5',
        note: 'The count of 2025 counts: the other one is four years older.',
        reasoning: 'Two pages disagree about the households.',
      },
    },
  },
  {
    to: { ...decision, task: MISSING },
    reply: {
      value: {
        action: 'search',
        field: 'price_change',
        query: 'change of the price of a battery in a year',
        reasoning: 'The memo is to say how the price moves.',
      },
    },
  },
];
