/** The demos there are. Each is loaded only when it is asked for. */

import type { PlanwrightConfig } from '../../config/index.ts';

export interface Demo {
  readonly name: string;
  readonly title: string;
  /** What the demo shows, in a sentence or two. */
  readonly question: string;
  readonly planFile: string;
  /**
   * `paceMs`: pause before each task, in milliseconds. `stateFile`: what the demo keeps beside its results, where it
   * keeps anything.
   */
  createConfig(options: { readonly paceMs: number; readonly stateFile: string }): PlanwrightConfig;
}

interface DemoTitle {
  readonly name: string;
  readonly title: string;
  /** The person at the terminal decides; where there is none, somebody must have decided in advance. */
  readonly asks: boolean;
}

/** For a list that loads none of them. */
export const DEMOS: readonly DemoTitle[] = [
  {
    name: 'gene-strategies',
    title: 'A gene search strategy on human chromosome 1, with a worker killed in mid-run',
    asks: true,
  },
  {
    name: 'control-room',
    title: 'Three scripted people, hardware that is written to once, a killed worker and a broken line',
    asks: false,
  },
];

/** @throws RangeError for a name that is none of `DEMOS`. */
export async function loadDemo(name: string): Promise<Demo> {
  switch (name) {
    case 'gene-strategies':
      return (await import('../../demos/gene-strategies/index.ts')).demo;
    case 'control-room':
      return (await import('../../demos/control-room/index.ts')).demo;
    default:
      throw new RangeError(`there is no demo "${name}"; there is ${DEMOS.map((demo) => demo.name).join(', ')}`);
  }
}
