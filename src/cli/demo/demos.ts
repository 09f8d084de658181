/** The demos there are. Each is loaded only when it is asked for. */

import type { PlanwrightConfig } from '../../config/index.ts';

export interface Demo {
  readonly name: string;
  readonly title: string;
  /** What the plan answers, in one sentence. */
  readonly question: string;
  /** What the records of the answer are, in the plural. */
  readonly answer: string;
  readonly planFile: string;
  /** `paceMs`: pause before each task, in milliseconds. */
  createConfig(options: { readonly paceMs: number }): PlanwrightConfig;
}

/** Name and title, for a list that loads none of them. */
export const DEMOS: readonly { readonly name: string; readonly title: string }[] = [
  { name: 'gene-strategies', title: 'A gene search strategy on human chromosome 1, with a worker killed in mid-run' },
];

/** @throws RangeError for a name that is none of `DEMOS`. */
export async function loadDemo(name: string): Promise<Demo> {
  switch (name) {
    case 'gene-strategies':
      return (await import('../../demos/gene-strategies/index.ts')).demo;
    default:
      throw new RangeError(`there is no demo "${name}"; there is ${DEMOS.map((demo) => demo.name).join(', ')}`);
  }
}
