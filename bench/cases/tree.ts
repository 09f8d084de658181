/** Many nodes that do nothing, as wide as it gets. */

import { tree } from '../shapes.ts';
import { planCase } from './case.ts';

export const wideTree = planCase(tree(1023));

/** A plan of some 500 nodes, which has an activity for each node unless the lane `parts` is asked for. */
export const smallerTree = planCase(tree(511));
