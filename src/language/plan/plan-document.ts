/** The plan document: a person, a model or a program hands it over as a plan. */

import type { StepsDocument } from './steps/index.ts';
import type { TreeDocument } from './tree/index.ts';

/**
 * A plan document: text or UTF-8 bytes of any accepted format, or parsed JSON. An editor completes the two shapes; any
 * other object is taken too, since the formats have aliases, and the compiler reports the parts that do not fit.
 */
export type PlanDocument = string | Uint8Array | TreeDocument | StepsDocument | object;
