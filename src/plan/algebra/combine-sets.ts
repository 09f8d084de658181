import { combineByMerge, KEEPS } from './boolean-operators.ts';
import type { BooleanOperator, CombinedSet } from './boolean-operators.ts';
import { colocate, COLOCATE_DEFAULTS } from './colocate.ts';
import type { ColocateParameters } from './colocate.ts';
import type { ResultSet } from './result-set.ts';

export const SET_OPERATORS = [...(Object.keys(KEEPS) as BooleanOperator[]), 'COLOCATE'] as const;

/** The name of a set operator: `UNION`, `INTERSECT`, `MINUS`, `RMINUS`, or `COLOCATE`, which compares locations. */
export type SetOperator = (typeof SET_OPERATORS)[number];

/**
 * Applies an operator to two sets. `parameters` are for COLOCATE; the default is an exact overlap on both strands that
 * returns left records. A refusal is one sentence that says what does not fit and what to do.
 * @example
 * const combined = combineSets('MINUS', genes, repeats);
 * if (combined.ok) console.log(combined.set.ids);
 * else console.error(combined.message);
 */
export function combineSets(
  operator: SetOperator,
  left: ResultSet,
  right: ResultSet,
  parameters?: ColocateParameters,
): CombinedSet {
  if (operator === 'COLOCATE') return colocate(left, right, parameters ?? COLOCATE_DEFAULTS);
  if (parameters !== undefined) {
    return {
      ok: false,
      message: `${operator} takes no window and no strand rule; only COLOCATE does. Leave them out.`,
    };
  }
  return combineByMerge(operator, left, right);
}
