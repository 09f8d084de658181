/** VentureScope's planner as a policy: its gates, its enrichment, its selector, its model, its correctors, in its order. */

import { definePolicy, type Policy } from 'planwright';
import { describeValue, quote } from '../../words.ts';
import { ACTIONS } from './actions.ts';
import { acquireTask } from './acquire.ts';
import { readCaps, type Caps } from './caps.ts';
import { cAskCap, cCalcAdjust, cRedirectDerived, cRedirectWeb, cSearchCap, cTargetDecompose } from './correctors.ts';
import type { Decision } from './decision.ts';
import { enrichSchema } from './enrich.ts';
import { CURRENCY, MAX_FIELDS, REGION } from './fields.ts';
import { marketGates } from './gates.ts';
import { OBSERVERS } from './observe.ts';
import { planLlm } from './plan-llm.ts';
import type { Around } from './stages.ts';
import { initialState, type Field, type State } from './state.ts';

export interface Market {
  /** The field whose value is the size of the market. */
  readonly target: string;
  /** By name: `core.region`, `core.currency`, the target, and whatever else is known to belong to it. */
  readonly fields: Readonly<Record<string, Field>>;
  readonly caps?: Partial<Caps>;
}

const NAME = /^(?:core\.)?[a-z][a-z0-9_]{0,39}$/;

/**
 * The policy of one market.
 * @throws RangeError that names every problem of the market
 * @example defineConfig({ capabilities, policy: marketPolicy({ target: 'size', fields, caps: { iterations: 20 } }) });
 */
export function marketPolicy(market: Market): Policy<State, Decision, Around> {
  checkMarket(market);
  const caps = readCaps(market.caps);
  const { gIterCap, gRegion, gCurrency, gCalcCaps } = marketGates(caps);
  return definePolicy<State, Decision, Around>({
    name: 'venturescope',
    initial: () => initialState(market),
    tick: {
      writes: ['iterations', 'llmFailed'],
      run: ({ iterations }) => ({ iterations: iterations + 1, llmFailed: false }),
    },
    observers: OBSERVERS,
    stages: [
      gIterCap,
      gRegion,
      gCurrency,
      enrichSchema,
      gCalcCaps,
      acquireTask(caps),
      planLlm(caps),
      cTargetDecompose,
      cRedirectDerived(caps),
      cRedirectWeb,
      cSearchCap(caps),
      cAskCap(caps),
      cCalcAdjust(caps),
    ],
    actions: ACTIONS,
  });
}

function checkMarket({ target, fields }: Market): void {
  const names = Object.keys(fields);
  const problems = names
    .filter((name) => !NAME.test(name))
    .map((name) => `fields: expected lower-case letters, digits and "_", at most 40, got ${describeValue(name)}`);
  for (const name of [REGION, CURRENCY, target]) {
    if (!Object.hasOwn(fields, name)) problems.push(`fields: there is no ${quote(name)}; add it`);
  }
  if (names.length > MAX_FIELDS) problems.push(`fields: ${names.length} are more than the ${MAX_FIELDS} of a market`);
  if (problems.length > 0) throw new RangeError(problems.join('\n'));
}
