/** The same with more nodes beside each other than an engine may begin at once. */

import { naps } from '../shapes.ts';
import { planCase } from './case.ts';

export const naps512 = planCase(naps(512, 1));
