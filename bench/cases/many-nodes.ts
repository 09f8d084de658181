/** A plan of 100,001 nodes that do nothing: cost, memory and history where there are many. */

import { tree } from '../shapes.ts';
import { besideEmpty, checkPlan, type Case } from './case.ts';

const shape = tree(100_001);
const WITHIN_MS = 3_600_000;

export const manyNodes: Case = {
  name: shape.name,
  unit: 'ms a node',
  per: shape.inputs.length,
  rounds: 'once',
  async measure(contender) {
    const went = await contender.ask({ does: 'plan', shape, facts: true }, WITHIN_MS);
    if ('cannot' in went) return went;
    checkPlan(shape, went, contender);
    return besideEmpty(went, contender);
  },
};
