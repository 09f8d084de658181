import { didYouMean } from '../issues/index.ts';
import { EVERY_OPERATOR, REFUSED_NAMES, factsOf } from './operators.ts';
import type { Operator } from '../compiled-plan.ts';

/** What a name of an operator means: one operator, two readings, or none. */
export type OperatorReading =
  | { readonly kind: 'operator'; readonly operator: Operator }
  | { readonly kind: 'ambiguous'; readonly message: string }
  /** The hint begins with a space and suggests a name; it is empty if none is near. */
  | { readonly kind: 'unknown'; readonly hint: string };

const OPERATOR_BY_NAME: ReadonlyMap<string, Operator> = new Map(
  EVERY_OPERATOR.flatMap((operator) => namesOf(operator).map((name) => [name, operator] as const)),
);

/**
 * Reads an operator name: trimmed, in any case, with `-` or spaces for `_`.
 * @example readOperatorName('minus-left'); // { kind: 'operator', operator: 'MINUS' }
 * @example readOperatorName('INTERSEKT'); // { kind: 'unknown', hint: ' Did you mean "INTERSECT"?' }
 */
export function readOperatorName(name: string): OperatorReading {
  const folded = name.trim().toUpperCase().replace(/[-\s]/g, '_');
  const operator = OPERATOR_BY_NAME.get(folded);
  if (operator !== undefined) return { kind: 'operator', operator };
  const refused = REFUSED_NAMES.get(folded);
  if (refused?.reason === 'two-readings') return { kind: 'ambiguous', message: refused.advice };
  return { kind: 'unknown', hint: refused === undefined ? didYouMean(name, operatorNames()) : ` ${refused.advice}` };
}

/**
 * Every name that is read as an operator, the canonical ones first.
 *
 * @example operatorNames().slice(0, 2); // ['UNION', 'INTERSECT']
 */
export function operatorNames(): readonly string[] {
  return [...EVERY_OPERATOR, ...EVERY_OPERATOR.flatMap((operator) => factsOf(operator).aliases)];
}

export function namesOf(operator: Operator): readonly string[] {
  return [operator, ...factsOf(operator).aliases];
}
