/** The bytes that a store is tried with: the same each time, so that it has them once. */

import { refOfBytes } from './refs.ts';

export const TRIED = Buffer.from('a result store is tried');
export const TRIED_REF = refOfBytes(TRIED);
