/** A longer chain: whether the way from one node to the next grows with those behind. */

import { chain } from '../shapes.ts';
import { planCase } from './case.ts';

export const chain255 = planCase(chain(255));
