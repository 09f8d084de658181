/** Many nodes that do nothing, as wide as it gets. */

import { tree } from '../shapes.ts';
import { planCase } from './case.ts';

export const wideTree = planCase(tree(1023));
