/** The decisions before the model is thought of: the end, the region, the currency, the end of calculating. */

import type { Caps } from './caps.ts';
import { askAbout, finishFor } from './decision.ts';
import { CURRENCY, isKnown, mayAsk, REGION } from './fields.ts';
import { on, type MarketStage } from './stages.ts';
import type { State } from './state.ts';

export function isAborted({ status }: State): boolean {
  return status === 'aborted';
}

/** With a cap of 30 the rounds 1 to 30 do something, and round 31 ends. */
export function isIterationCapReached({ iterations }: State, caps: Caps): boolean {
  return iterations > caps.iterations;
}

export function needsRegion(state: State, caps: Caps): boolean {
  return !isKnown(state, REGION) && mayAsk(state, REGION, caps);
}

export function needsCurrency(state: State, caps: Caps): boolean {
  return !isKnown(state, CURRENCY) && mayAsk(state, CURRENCY, caps);
}

/** A calculation that succeeded at the last try is a success, not a cap. */
export function isCalculatorCapReached({ calculation }: State, caps: Caps): boolean {
  return calculation.value === undefined && calculation.failures >= caps.calculations;
}

export function hasCalculated({ calculation }: State): boolean {
  return calculation.value !== undefined;
}

const ABORTED: Pick<State, 'status'> = { status: 'aborted' };

type Gates = Readonly<Record<'gIterCap' | 'gRegion' | 'gCurrency' | 'gCalcCaps', MarketStage<'gate'>>>;

/** VentureScope: g_iter_cap, g_region, g_currency, g_calc_caps. */
export function marketGates(caps: Caps): Gates {
  return {
    gIterCap: on.gate({
      name: 'g_iter_cap',
      about: 'aborted, or over the cap of iterations?',
      writes: ['status'],
      when: (state) => isAborted(state) || isIterationCapReached(state, caps),
      decide: (state) =>
        finishFor(
          isAborted(state)
            ? 'The planning was aborted before.'
            : `The cap of ${caps.iterations} iterations is reached.`,
        ),
      write: () => ABORTED,
    }),
    gRegion: on.gate({
      name: 'g_region',
      about: 'is core.region missing?',
      when: (state) => needsRegion(state, caps),
      decide: (state) => askAbout(state, REGION, 'Every figure is about one region, which nobody has named yet.'),
    }),
    gCurrency: on.gate({
      name: 'g_currency',
      about: 'is core.currency missing?',
      when: (state) => needsCurrency(state, caps),
      decide: (state) => askAbout(state, CURRENCY, 'Prices and the size are told in one currency.'),
    }),
    gCalcCaps: on.gate({
      name: 'g_calc_caps',
      about: 'calculated, or over the cap of calculations?',
      writes: ['status'],
      when: (state) => hasCalculated(state) || isCalculatorCapReached(state, caps),
      decide: (state) =>
        finishFor(
          hasCalculated(state)
            ? 'The size is calculated.'
            : `${state.calculation.failures} calculations gave no number; the cap is ${caps.calculations}.`,
        ),
      write: (state) => (hasCalculated(state) ? { status: state.status } : ABORTED),
    }),
  };
}
