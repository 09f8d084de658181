import { OPERATORS } from './operators.ts';
import type { Operator } from '../compiled-plan.ts';

/** VEuPathDB WDK and Pathfinder use both MINUS/RMINUS and MINUS_LEFT/MINUS_RIGHT; the suffix names the kept side. */
const OPERATOR_NAMES: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ...OPERATORS.map((operator) => [operator, operator] as const),
  ...named('UNION', 'OR', 'PLUS', '|', '||'),
  ...named('INTERSECT', 'AND', 'INTERSECTION', '&', '&&'),
  ...named('MINUS', 'MINUS_LEFT', 'LEFT_MINUS', 'LMINUS', 'NOT', 'EXCEPT'),
  ...named('RMINUS', 'MINUS_RIGHT', 'RIGHT_MINUS', 'REXCEPT'),
]);

/** LONLY and RONLY: WDK returns the whole side, Pathfinder subtracts the other. Neither can be chosen for the writer. */
const AMBIGUOUS_NAMES: ReadonlyMap<string, { readonly side: string; readonly subtraction: Operator }> = new Map([
  ['LONLY', { side: 'left', subtraction: 'MINUS' }],
  ['RONLY', { side: 'right', subtraction: 'RMINUS' }],
]);

export type OperatorReading =
  | { readonly kind: 'operator'; readonly operator: Operator }
  | { readonly kind: 'ambiguous'; readonly message: string }
  | { readonly kind: 'unknown' };

/** Reads an operator name: trimmed, in any case, with `-` or spaces for `_`. */
export function readOperatorName(name: string): OperatorReading {
  const folded = name.trim().toUpperCase().replace(/[-\s]/g, '_');
  const operator = OPERATOR_NAMES.get(folded);
  if (operator !== undefined) return { kind: 'operator', operator };
  const ambiguous = AMBIGUOUS_NAMES.get(folded);
  if (ambiguous === undefined) return { kind: 'unknown' };
  const { side, subtraction } = ambiguous;
  const other = side === 'left' ? 'right' : 'left';
  const message =
    `${folded} has two readings: the whole ${side} set with the ${other} one ignored, or the ${side} records ` +
    `that are not in the ${other} set. For the first write the ${side} node alone, for the second write ${subtraction}.`;
  return { kind: 'ambiguous', message };
}

/** Every name that is read as an operator, the five canonical ones first. */
export function operatorNames(): readonly string[] {
  return [...OPERATOR_NAMES.keys()];
}

function named(operator: Operator, ...names: string[]): (readonly [string, Operator])[] {
  return names.map((name) => [name, operator] as const);
}
