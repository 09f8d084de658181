/** The numbers of the report, counted in the corpus by plain loops. */

import { CORPUS } from './corpus.ts';

export interface Totals {
  readonly passengers: number;
  readonly crossings: number;
  readonly calledOff: number;
}

const FIGURES = /ferry .*: (\d+) passengers on (\d+) crossings\. .* called off (\d+) of them/;

/** The figures of the ferry of one island, over all texts about it. */
export function totalsOf(island: string): Totals {
  const totals = { passengers: 0, crossings: 0, calledOff: 0 };
  for (const { text } of CORPUS) {
    const [, passengers, crossings, calledOff] = (text.includes(island) && FIGURES.exec(text)) || [];
    totals.passengers += Number(passengers ?? 0);
    totals.crossings += Number(crossings ?? 0);
    totals.calledOff += Number(calledOff ?? 0);
  }
  return totals;
}

export const ISLANDS = ['Norholm', 'Sandvik'] as const;
