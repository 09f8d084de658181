/** A plan of one node that does nothing. */

import { tree } from '../shapes.ts';
import { planCase } from './case.ts';

export const oneNode = { ...planCase(tree(1), 'one node'), unit: 'ms' };
