/** The bytes that a store is tried with: the same each time, so that it has them once. They say nothing. */

import { refOfBytes } from './refs.ts';

export const TRIED = Buffer.from('planwright doctor');
export const TRIED_REF = refOfBytes(TRIED);
