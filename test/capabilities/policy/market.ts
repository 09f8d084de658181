/** A small policy for the tests of the pipeline: two questions, an enrichment, a selector, a decider, two correctors. */

import { definePolicy, stagesOf, type Stage } from '../../../src/capabilities/policy/index.ts';

export interface State {
  readonly region?: string;
  readonly currency?: string;
  readonly notes: readonly string[];
  readonly rounds: number;
  readonly failed: boolean;
}
export type Decision =
  | { readonly action: 'ask_user'; readonly field: string }
  | { readonly action: 'search'; readonly query: string }
  | { readonly action: 'finish'; readonly why: string };
export interface Around {
  readonly decide: () => Decision | Promise<Decision>;
}

export const on = stagesOf<State, Decision, Around>();
export const region = on.gate({
  name: 'g_region',
  about: 'is the region known?',
  when: (state) => state.region === undefined,
  decide: () => ({ action: 'ask_user', field: 'region' }),
});
export const stages: readonly Stage<State, Decision, Around>[] = [
  region,
  on.gate({
    name: 'g_currency',
    when: ({ currency }) => currency === undefined,
    decide: () => ({ action: 'ask_user', field: 'currency' }),
  }),
  on.enrich({ name: 'enrich', writes: ['notes'], run: ({ notes }) => ({ notes: [...notes, 'enriched'] }) }),
  on.select({
    name: 'acquire',
    run: ({ notes }) => (notes.length > 3 ? { decision: { action: 'finish', why: 'nothing is missing' } } : undefined),
  }),
  on.decide({
    name: 'plan_llm',
    writes: ['failed'],
    run: async (_, { decide }) => ({ decision: await decide(), state: { failed: false } }),
  }),
  on.correct({
    name: 'c_short',
    run: (_, decision) =>
      decision.action === 'search' && decision.query.length > 10
        ? { decision: { ...decision, query: decision.query.slice(0, 10) } }
        : undefined,
  }),
  on.correct({
    name: 'c_last',
    origins: ['select', 'model'],
    run: ({ failed }, decision) =>
      failed || decision.action !== 'finish' ? undefined : { decision: { ...decision, why: `${decision.why}.` } },
  }),
];

export const policyWith = (list: readonly Stage<State, Decision, Around>[] = stages) =>
  definePolicy<State, Decision, Around>({
    name: 'market',
    initial: () => ({ notes: [], rounds: 0, failed: false }),
    tick: { writes: ['rounds', 'failed'], run: (_, round) => ({ rounds: round, failed: false }) },
    observers: [
      {
        name: 'observe',
        after: ['search'],
        writes: ['notes'],
        when: ({ results }) => Object.keys(results).length > 0,
        run: ({ notes }, { results }) => ({ notes: [...notes, ...Object.keys(results)] }),
      },
      {
        name: 'observe_user',
        after: ['ask_user'],
        writes: ['region', 'currency'],
        run: (_, { decision, results }) =>
          decision.action === 'ask_user' ? { [decision.field]: results['answer'] } : {},
      },
    ],
    stages: list,
    actions: {
      ask_user: {
        dispatch: ({ field }) => ({
          is: 'capability',
          name: 'ask',
          arguments: { question: `${field}?` },
          objective: field,
        }),
      },
      search: {
        dispatch: ({ query }) => ({ is: 'capability', name: 'search', arguments: { query }, objective: query }),
      },
      finish: { ends: true, dispatch: ({ why }) => ({ is: 'finish', answer: why }) },
    },
  });
