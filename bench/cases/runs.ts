/** How many runs one worker brings to their end in a second. */

import { tree, chain, type Shape } from '../shapes.ts';
import type { Case } from './case.ts';

const RUNS = 200;

export const runsOfOne = runsOf(tree(1), 'runs of one node');
export const runsOfTen = runsOf(chain(10), 'runs of a chain of 10');

function runsOf(shape: Shape, name: string): Case {
  return {
    name: `${name}, 20 at once`,
    unit: 'ms a run',
    per: RUNS,
    rounds: 'warm',
    measure: (contender) => contender.ask({ does: 'runs', shape, runs: RUNS }),
  };
}
