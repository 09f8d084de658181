/** The parameters of COLOCATE: their names, the words and numbers they take, and their defaults. */

import type { Colocate } from '../compiled-plan.ts';

/** The parameters of the simple form, in the order in which they are told. */
export const COLOCATE_FIELDS = ['upstream', 'downstream', 'strand', 'operation', 'output', 'invert'] as const;
export type ColocateField = (typeof COLOCATE_FIELDS)[number];

/** The sides that have a region each in the full form. */
export const SIDES = ['left', 'right'] as const;

/** The words that a parameter takes. */
export const COLOCATE_WORDS = {
  strand: ['both', 'same', 'opposite'],
  operation: ['overlap', 'contains', 'within'],
  output: SIDES,
} as const satisfies { readonly [Field in 'strand' | 'operation' | 'output']: readonly Colocate[Field][] };

/** Bases of a window: coordinates are kept as 32-bit integers. */
export const MAX_BASES = 2 ** 31 - 1;

/** No window, both strands, overlap, left. */
export const DEFAULT_COLOCATE: Colocate = {
  downstream: 0,
  operation: 'overlap',
  output: 'left',
  strand: 'both',
  upstream: 0,
};
