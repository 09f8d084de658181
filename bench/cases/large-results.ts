/** A tree of 15 whose leaves give 1 MB each: results that are carried to their unions, 8 MB at the root. */

import { idsOf } from '../contenders/node-work.mjs';
import { tree } from '../shapes.ts';
import { besideEmpty, checkPlan, type Case } from './case.ts';

const BYTES = 1_000_000;
const shape = { ...tree(15), bytes: BYTES };
const leaves = shape.inputs.filter((needed) => needed.length === 0).length;
const records = leaves * idsOf(0, BYTES).length;

export const largeResults: Case = {
  name: 'tree of 15, 1 MB a leaf',
  unit: 'ms',
  per: 1,
  rounds: 'warm',
  async measure(contender) {
    const went = await contender.ask({ does: 'plan', shape });
    if ('cannot' in went) return went;
    checkPlan(shape, went, contender);
    if (went.records !== records)
      throw new Error(`${contender.name}: ${went.records} records at the root, and not ${records}`);
    return besideEmpty(went, contender);
  },
};
