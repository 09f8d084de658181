/** Nodes one after the other: the way from one to the next. */

import { chain } from '../shapes.ts';
import { planCase } from './case.ts';

export const chain63 = planCase(chain(63));
