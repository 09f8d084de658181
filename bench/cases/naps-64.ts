/** Nodes that take their time: how near a run comes to the slowest way through its plan. */

import { naps } from '../shapes.ts';
import { planCase } from './case.ts';

export const naps64 = planCase(naps(64, 1));
